#include "gateway/telemetry/metric_labels.hpp"

#include "gateway/access/routes.hpp"

#include <algorithm>

namespace tandem::gateway {
namespace {

constexpr errc reply_errors[]{errc::bad_request,
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

// Stable label values; the library's descriptions are for people.
constexpr std::pair<server_status::health, const char*> server_states[]{
    {server_status::health::unknown, "unknown"},
    {server_status::health::up, "up"},
    {server_status::health::loading, "loading"},
    {server_status::health::down, "down"},
};

}  // namespace

std::string route_label(std::string_view path) {
    const auto routes = all_routes();
    const bool is_known =
        std::ranges::any_of(routes, [&](const route& r) { return r.path == path; });
    return is_known ? std::string(path) : other_label;
}

std::string status_label(int status) {
    return status >= 100 && status < 600 ? std::to_string(status) : no_label;
}

// Names of error codes in other categories are unbounded.
std::string error_label(const error_code& ec) {
    return ec.category() == error_category() ? error_name(ec) : other_label;
}

std::span<const errc> reply_error_labels() noexcept {
    return reply_errors;
}

std::span<const std::pair<server_status::health, const char*>> server_state_labels() noexcept {
    return server_states;
}

}  // namespace tandem::gateway
