#pragma once

#include "tandem/server.hpp"

#include <concepts>
#include <utility>
#include <vector>

namespace tandem {

/// The messages of a call: up to four in braces, or a vector. GCC 12 refuses a vector in braces
/// ("array used as initializer") where the call stands in a co_await.
class message_list {
 public:
    /// In braces: `{{"user", "Hello"}}`.
    message_list(chat_message first) { messages_.push_back(std::move(first)); }
    message_list(chat_message first, chat_message second) : message_list(std::move(first)) {
        messages_.push_back(std::move(second));
    }
    message_list(chat_message first, chat_message second, chat_message third)
        : message_list(std::move(first), std::move(second)) {
        messages_.push_back(std::move(third));
    }
    message_list(chat_message first, chat_message second, chat_message third, chat_message fourth)
        : message_list(std::move(first), std::move(second), std::move(third)) {
        messages_.push_back(std::move(fourth));
    }
    /// From a vector. A template, so that braces never mean one.
    template <std::same_as<std::vector<chat_message>> Vector>
    message_list(Vector messages) : messages_(std::move(messages)) {}

    /// Leaves none behind.
    std::vector<chat_message> take() && { return std::move(messages_); }

 private:
    std::vector<chat_message> messages_;
};

}  // namespace tandem
