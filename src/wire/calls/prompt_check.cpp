#include "wire/calls/prompt_check.hpp"

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "wire/json/wire_limits.hpp"
#include "wire/stream/sanitize_server_text.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace tandem::wire {
namespace {

failure invalid(std::string words) {
    return {errc::invalid_prompt, {.client_message = std::move(words)}};
}

struct named_text {
    std::string_view name;
    std::string_view text;
};

/// `where` returns the name of the object that contains the texts.
template <class Where>
std::optional<failure> refuse_texts(std::initializer_list<named_text> texts, Where where) {
    for (const auto& t : texts)
        if (text::find_invalid_utf8(t.text) != std::string_view::npos)
            return check_request_text(fmt::format("the {} of {}", t.name, where()), t.text);
    return std::nullopt;
}

std::optional<failure> refuse_message(const chat_message& m, std::size_t number) {
    auto bad = refuse_texts({{"role", m.role},
                             {"content", m.content},
                             {"tool_call_id", m.tool_call_id},
                             {"name", m.name}},
                            [&] { return fmt::format("message {}", number); });
    for (std::size_t i = 0; i < m.tool_calls.size() && !bad; ++i) {
        const auto& c = m.tool_calls[i];
        bad = refuse_texts({{"id", c.id}, {"name", c.name}, {"arguments", c.arguments}},
                           [&] { return fmt::format("tool call {} of message {}", i, number); });
    }
    return bad;
}

constexpr std::size_t max_file_name_bytes = 128;

bool is_file_name(std::string_view name) {
    constexpr std::string_view allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return !name.empty() && name.size() <= max_file_name_bytes && name.front() != '.' &&
           name.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace

std::optional<failure> check_request_text(std::string_view what, std::string_view text) {
    const auto bad = text::find_invalid_utf8(text);
    if (bad == std::string_view::npos) return std::nullopt;
    return invalid(fmt::format("{} is not valid UTF-8 at byte {}", what, bad));
}

std::optional<failure> check_raw_prompt(std::string_view prompt) {
    if (text::is_all_white_space(prompt)) return invalid("the prompt is empty or only white space");
    if (prompt.size() > max_prompt_bytes)
        return invalid(fmt::format("the prompt has {} bytes; at most {} can be sent", prompt.size(),
                                   max_prompt_bytes));
    return check_request_text("the prompt", prompt);
}

std::optional<failure> check_messages(std::span<const chat_message> messages) {
    std::optional<failure> bad;
    for (std::size_t i = 0; i < messages.size() && !bad; ++i) bad = refuse_message(messages[i], i);
    return bad;
}

std::optional<failure> check_slot_file_name(std::string_view name) {
    if (is_file_name(name)) return std::nullopt;
    const bool is_long = name.size() > max_file_name_bytes;
    auto words = fmt::format(
        "\"{}{}\" cannot be the name of a slot's file: it must be 1 to {} of A-Z, a-z, 0-9, '.', "
        "'_' and '-', and not start with '.'",
        sanitize_server_text(name.substr(0, max_file_name_bytes)), is_long ? "..." : "",
        max_file_name_bytes);
    return failure{errc::bad_request, {.client_message = std::move(words)}};
}

}  // namespace tandem::wire
