#include "config/describe_expected_value.hpp"
#include "text/characters/utf8.hpp"

#include "tandem/config_fields.hpp"
#include "tandem/conversation_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tandem {
inline namespace v0 {
namespace {

constexpr std::size_t max_mark_bytes = 64;
constexpr auto max_grace = std::chrono::hours(1);
constexpr int max_reserve = 1'000'000;
constexpr double max_slack = 0.9;
constexpr int max_drafts = 100;

class fault_list {
 public:
    void require(bool holds, std::string field, std::string message) {
        if (!holds) faults.push_back({std::move(field), std::move(message)});
    }
    void check_text(const std::string& field, std::string_view text) {
        require(text::find_invalid_utf8(text) == std::string_view::npos, field,
                "is not valid UTF-8");
    }

    std::vector<config_fault> faults;
};

void check_message(const std::string& at, const chat_message& m, fault_list& list) {
    constexpr std::array roles{"system", "user", "assistant", "tool"};
    list.require(std::ranges::find(roles, m.role) != roles.end(), at + ".role",
                 "must be system, user, assistant or tool");
    list.check_text(at + ".content", m.content);
    list.check_text(at + ".tool_call_id", m.tool_call_id);
    list.check_text(at + ".name", m.name);
    for (std::size_t i = 0; i < m.tool_calls.size(); ++i) {
        const auto call = fmt::format("{}.tool_calls[{}]", at, i);
        list.check_text(call + ".id", m.tool_calls[i].id);
        list.check_text(call + ".name", m.tool_calls[i].name);
        list.check_text(call + ".arguments", m.tool_calls[i].arguments);
    }
}

void check_policy(const conversation_options& o, fault_list& list) {
    list.require(!to_string(o.interrupted).empty(), "interrupted",
                 fmt::format("is {}, which is not a valid value", static_cast<int>(o.interrupted)));
    list.check_text("interrupted_mark", o.interrupted_mark);
    list.require(
        o.interrupted_mark.size() <= max_mark_bytes, "interrupted_mark",
        fmt::format("has {} bytes; the maximum is {}", o.interrupted_mark.size(), max_mark_bytes));
    list.require(o.resume_grace >= duration{} && o.resume_grace <= max_grace, "resume_grace",
                 detail::invalid_value_text(to_string(o.resume_grace),
                                            detail::describe_time_range({}, max_grace)));
}

void check_context(const conversation_options& o, fault_list& list) {
    list.require(
        o.reply_reserve >= 0 && o.reply_reserve <= max_reserve, "reply_reserve",
        fmt::format("is {}; it must be a whole number from 0 to {}", o.reply_reserve, max_reserve));
    // Tests for a valid value, so that NaN, for which each comparison is false, is a fault.
    list.require(o.trim_slack >= 0 && o.trim_slack <= max_slack, "trim_slack",
                 fmt::format("is {}; it must be a number from 0 to {}", o.trim_slack, max_slack));
    list.require(
        o.draft_limit >= 0 && o.draft_limit <= max_drafts, "draft_limit",
        fmt::format("is {}; it must be a whole number from 0 to {}", o.draft_limit, max_drafts));
}

}  // namespace

std::vector<config_fault> check(const conversation_options& o) {
    fault_list list;
    for (std::size_t i = 0; i < o.messages.size(); ++i)
        check_message(fmt::format("messages[{}]", i), o.messages[i], list);
    check_policy(o, list);
    check_context(o, list);
    return std::move(list.faults);
}

}  // namespace v0
}  // namespace tandem
