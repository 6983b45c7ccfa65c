#pragma once

#include "gateway/access/authorizer.hpp"
#include "support/at.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Helpers for the tests of the authorizer.
namespace tandem::gateway {

using test::at;

inline const route& route_of(endpoint e) {
    for (const auto& r : all_routes())
        if (r.endpoint == e) return r;
    throw std::logic_error("no such route");
}

/// A key for clients that present `name` + "-key".
inline api_key key_named(const std::string& name) {
    return {.name = name, .sha256 = *hash_sha256(name + "-key")};
}

inline std::string bearer(const std::string& name) {
    return "Bearer " + name + "-key";
}

/// An authorizer and the requests of clients.
struct gate {
    authorizer access;

    explicit gate(std::vector<api_key> keys) : access(api_keys(std::move(keys))) {}

    admission ask(endpoint e, const std::string& authorization, time_point now = at({}),
                  std::string_view remote = "10.0.0.1") {
        return access.authorize_request(route_of(e),
                                        {.authorization = authorization, .remote = remote}, now);
    }
    admission chat(const std::string& authorization, time_point now = at({}),
                   std::string_view remote = "10.0.0.1") {
        return ask(endpoint::chat_completions, authorization, now, remote);
    }
    /// The number of admitted requests out of `tries`. Each request ends immediately.
    int let_in(const std::string& authorization, int tries, time_point now = at({})) {
        int count = 0;
        for (int i = 0; i < tries; ++i)
            count += std::holds_alternative<admitted_request>(chat(authorization, now));
        return count;
    }
};

/// The status of the refusal, or 200 if the request was admitted.
inline int status_of(const admission& a) {
    const auto* const e = std::get_if<api_error>(&a);
    return e ? e->status : 200;
}

/// The refusal, or an error with status 200 and no type if the request was admitted.
inline api_error error_of(const admission& a) {
    const auto* const e = std::get_if<api_error>(&a);
    return e ? *e : api_error{.status = 200, .type = ""};
}

}  // namespace tandem::gateway
