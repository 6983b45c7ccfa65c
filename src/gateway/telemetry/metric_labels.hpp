#pragma once

#include "tandem/error.hpp"
#include "tandem/service_config.hpp"

#include <span>
#include <string>
#include <string_view>
#include <utility>

// Values of metric labels, bounded regardless of what clients and servers send.
namespace tandem::gateway {

inline constexpr const char* other_label = "other";
inline constexpr const char* no_label = "none";

/// A route of the gateway, or "other".
std::string route_label(std::string_view path);
/// "none" if the client disconnected before the response.
std::string status_label(int status);
/// The name of the error code, or "other".
std::string error_label(const error_code& ec);

/// Error codes with which a reply can end.
std::span<const errc> reply_error_labels() noexcept;
/// All states of a server, with their label values.
std::span<const std::pair<server_status::health, const char*>> server_state_labels() noexcept;

}  // namespace tandem::gateway
