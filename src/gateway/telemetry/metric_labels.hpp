#pragma once

#include "tandem/error.hpp"
#include "tandem/service_config.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

// The values that labels of metrics may have. They are bounded, whatever clients and servers send.
namespace tandem::gateway {

inline constexpr const char* other_label = "other";
inline constexpr const char* no_label = "none";

/// One of the gateway's routes, or "other".
std::string route_label(std::string_view path);
/// "none" where a client was gone before its answer.
std::string status_label(int status);
/// The code's name, or "other".
std::string error_label(const error_code& ec);

/// The codes with which a reply can end.
std::span<const errc> reply_error_labels() noexcept;
/// All states of a server, with their labels.
std::span<const std::pair<server_status::health, const char*>> server_state_labels() noexcept;

}  // namespace tandem::gateway
