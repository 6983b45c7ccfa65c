#include "service/unavailable_reason.hpp"

#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace tandem::services {

failure explain_unavailability(std::span<const listed_server> servers,
                               const server_state_query& ask, time_point turn_began) {
    std::string words = servers.empty() ? "the service has no server: add one"
                        : are_all_drained(servers)
                            ? "every server is drained: undrain one, or add a server"
                            : "no server is up";
    for (const auto& s : servers)
        words += fmt::format("; {} is {}{}{}", transport::without_credentials(s.url),
                             s.removal_deadline ? "being removed"
                             : s.is_drained     ? "drained"
                                                : to_string(s.health.state()),
                             s.health.fault().empty() ? "" : ": ", s.health.fault());
    for (const auto& s : servers)
        if (!ask(s).takes_requests)
            words += fmt::format("; the last requests to {} failed, so it is not used for a while",
                                 transport::without_credentials(s.url));
    // If all servers reject the key, waiting does not help, so the error says so.
    const bool refuse_key = !servers.empty() && std::ranges::all_of(servers, [&](const auto& s) {
        return s.health.rejects_key() && s.health.was_tried_since(turn_began);
    });
    error_code ec = refuse_key ? errc::unauthorized : errc::no_model;
    if (no_server_ever_reached(servers, turn_began))
        ec = servers.front().health.never_reached_error();
    return {ec, {.client_message = std::move(words)}};
}

bool no_server_ever_reached(std::span<const listed_server> servers, time_point since) {
    return !servers.empty() && std::ranges::all_of(servers, [since](const auto& s) {
        return s.health.never_reached_error() && s.health.was_tried_since(since);
    });
}

bool are_all_drained(std::span<const listed_server> servers) {
    return !servers.empty() && std::ranges::all_of(servers, &listed_server::is_drained);
}

}  // namespace tandem::services
