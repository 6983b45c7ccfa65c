#pragma once

#include "gateway/requests/chat_request.hpp"
#include "gateway/requests/completion_request.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

// Helpers that the tests of requests share.
namespace tandem::gateway {

/// Reads a request. The test fails if the request is refused.
inline chat_request chat(std::string_view body, const request_defaults& defaults = {}) {
    auto read = read_chat_request(body, defaults);
    if (const auto* e = std::get_if<api_error>(&read)) {
        ADD_FAILURE() << body << ": " << e->message;
        return {};
    }
    return std::get<chat_request>(std::move(read));
}

/// Reads a request with one message and additional members.
inline chat_request chat_with(std::string_view members, const request_defaults& defaults = {}) {
    return chat(R"({"messages":[{"role":"user","content":"Hi"}],)" + std::string(members) + "}",
                defaults);
}

/// The error for a request. The test fails if the request is not refused.
inline api_error refusal(std::string_view body, const request_defaults& defaults = {}) {
    auto read = read_chat_request(body, defaults);
    if (auto* e = std::get_if<api_error>(&read)) return std::move(*e);
    ADD_FAILURE() << "not refused: " << body;
    return {};
}

inline api_error refusal_with(std::string_view members) {
    return refusal(R"({"messages":[{"role":"user","content":"Hi"}],)" + std::string(members) + "}");
}

}  // namespace tandem::gateway
