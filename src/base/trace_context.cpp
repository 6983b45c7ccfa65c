#include "base/trace_context.hpp"

#include <algorithm>
#include <cstddef>

namespace tandem {
namespace {

// "00-" trace id "-" parent id "-" flags
constexpr std::size_t trace_at = 3;
constexpr std::size_t trace_digits = 32;
constexpr std::size_t parent_at = trace_at + trace_digits + 1;
constexpr std::size_t parent_digits = 16;
constexpr std::size_t flags_at = parent_at + parent_digits + 1;
constexpr std::size_t plain_size = flags_at + 2;
constexpr std::size_t max_size = 256;

bool is_hex(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// An id of all zeros means no id.
bool is_id(std::string_view text) noexcept {
    return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

bool may_follow(std::string_view version, std::string_view rest) noexcept {
    if (rest.empty()) return true;
    return version != "00" && rest.front() == '-' &&
           std::all_of(rest.begin(), rest.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

bool is_valid_traceparent(std::string_view text) noexcept {
    if (text.size() < plain_size || text.size() > max_size) return false;
    const auto version = text.substr(0, 2);
    return is_hex(version) && version != "ff" && text[trace_at - 1] == '-' &&
           is_id(text.substr(trace_at, trace_digits)) && text[parent_at - 1] == '-' &&
           is_id(text.substr(parent_at, parent_digits)) && text[flags_at - 1] == '-' &&
           is_hex(text.substr(flags_at, 2)) && may_follow(version, text.substr(plain_size));
}

std::string_view parse_trace_id(std::string_view text) noexcept {
    return is_valid_traceparent(text) ? text.substr(trace_at, trace_digits) : std::string_view();
}

std::string_view parse_parent_id(std::string_view text) noexcept {
    return is_valid_traceparent(text) ? text.substr(parent_at, parent_digits) : std::string_view();
}

// The lowest bit of the flags.
bool is_sampled(std::string_view text) noexcept {
    return is_valid_traceparent(text) &&
           std::string_view("13579bdf").find(text[flags_at + 1]) != std::string_view::npos;
}

}  // namespace tandem
