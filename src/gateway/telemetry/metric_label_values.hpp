#pragma once

#include "tandem/error.hpp"
#include "tandem/service_config.hpp"

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
inline constexpr errc reply_errors[]{errc::bad_request,
                                     errc::bad_response,
                                     errc::between_tokens_timeout,
                                     errc::circuit_open,
                                     errc::connect_failed,
                                     errc::connect_timeout,
                                     errc::continue_timeout,
                                     errc::first_token_timeout,
                                     errc::invalid_prompt,
                                     errc::model_loading,
                                     errc::no_model,
                                     errc::not_supported,
                                     errc::prompt_too_long,
                                     errc::queue_full,
                                     errc::queue_timeout,
                                     errc::reply_timeout,
                                     errc::request_timeout,
                                     errc::resolve_failed,
                                     errc::response_too_large,
                                     errc::server_error,
                                     errc::server_gone,
                                     errc::stream_incomplete,
                                     errc::tls_failed,
                                     errc::tokenize_failed,
                                     errc::unauthorized};

/// All states of a server, with their label values. The labels are stable, unlike the library's
/// descriptions, which are for people.
inline constexpr std::pair<server_status::health, const char*> server_states[]{
    {server_status::health::unknown, "unknown"},
    {server_status::health::up, "up"},
    {server_status::health::loading, "loading"},
    {server_status::health::down, "down"},
};

}  // namespace tandem::gateway
