#pragma once

#include "tandem/server.hpp"

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem {
inline namespace v0 {

/// The messages of a call: up to eight in braces, as in `{{"user", "Hello"}}`, or a vector.
///
/// A vector in braces would not do: in a co_await, GCC 12 refuses it ("array used as initializer"),
/// and copies a temporary bytewise even if it owns strings. The braced form of this type owns
/// nothing.
class message_list {
 public:
    /// A message as two views, whose texts the list copies.
    struct text_of_role {
        /// No message.
        constexpr text_of_role() noexcept {}
        /// Both texts must outlive this object.
        constexpr text_of_role(std::string_view r, std::string_view c) noexcept
            : role(r), content(c), is_given(true) {}
        std::string_view role{};     ///< as `chat_message::role`
        std::string_view content{};  ///< as `chat_message::content`
        bool is_given = false;       ///< whether there is a message
    };

    /// One to eight messages, in order.
    message_list(text_of_role first, text_of_role second = {}, text_of_role third = {},
                 text_of_role fourth = {}, text_of_role fifth = {}, text_of_role sixth = {},
                 text_of_role seventh = {}, text_of_role eighth = {}) {
        for (const auto& m : {first, second, third, fourth, fifth, sixth, seventh, eighth})
            if (m.is_given) add(m);
    }
    /// From a vector. A template, so that braces are never read as a vector.
    template <std::same_as<std::vector<chat_message>> Vector>
    message_list(Vector messages) : messages_(std::move(messages)) {}

    /// Returns the messages, and leaves the list empty.
    std::vector<chat_message> take() && { return std::move(messages_); }

 private:
    void add(text_of_role m) {
        messages_.push_back({.role = std::string(m.role), .content = std::string(m.content)});
    }

    std::vector<chat_message> messages_;
};

}  // namespace v0
}  // namespace tandem
