#include "gateway/voice/voice_open_calls.hpp"

#include <algorithm>
#include <utility>

namespace tandem::gateway {

void voice_open_calls::begin_reply() {
    auto late = std::move(late_);
    *this = {};
    late_ = std::move(late);
}

void voice_open_calls::add_sent_calls(std::span<const tool_call> calls, time_point deadline) {
    const auto sent = calls.first(std::min(calls.size(), max_sent_calls));
    for (const auto& c : sent) calls_.push_back({.id = c.id});
    open_count_ = sent.size();
    has_reply_called_ = true;
    deadline_ = deadline;
}

auto voice_open_calls::find(std::string_view id) noexcept -> call* {
    const auto found = std::ranges::find(calls_, id, &call::id);
    return found == calls_.end() ? nullptr : &*found;
}

void voice_open_calls::close(call& c, std::string content) {
    if (!c.result) --open_count_;
    c.result = std::move(content);
}

bool voice_open_calls::set_result(std::string_view id, std::string content, bool keep) {
    auto* const c = find(id);
    if (!c || !c->accepts_result(keep)) return false;
    result_bytes_ += content.size();
    c->is_final = true;
    close(*c, std::move(content));
    return true;
}

bool voice_open_calls::set_interim_result(std::string_view id, std::string meanwhile) {
    auto* const c = find(id);
    if (!c || c->result) return false;
    close(*c, std::move(meanwhile));
    return true;
}

std::vector<std::string> voice_open_calls::drop_all_with_result(const std::string& meanwhile) {
    std::vector<std::string> ids;
    for (auto& c : calls_) {
        if (c.result) continue;
        ids.push_back(c.id);
        c.is_dropped = true;
        close(c, meanwhile);
    }
    return ids;
}

std::vector<std::string> voice_open_calls::list_open() const {
    std::vector<std::string> ids;
    for (const auto& c : calls_)
        if (!c.result) ids.push_back(c.id);
    return ids;
}

std::vector<std::string> voice_open_calls::drop_open_calls() {
    auto ids = list_open();
    for (const auto& id : ids) expect_late_result({.id = id, .is_dropped = true});
    std::erase_if(calls_, [](const call& c) { return !c.result; });
    open_count_ = 0;
    return ids;
}

std::vector<call_result> voice_open_calls::take_results() {
    std::vector<call_result> results;
    for (auto& c : std::exchange(calls_, {})) {
        results.push_back({c.id, std::move(c.result).value_or(""), c.is_final});
        if (!c.is_final) expect_late_result({.id = c.id, .is_dropped = c.is_dropped});
    }
    return results;
}

void voice_open_calls::expect_late_result(late_call c) {
    if (late_.size() >= max_sent_calls) late_.erase(late_.begin());
    late_.push_back(std::move(c));
}

bool voice_open_calls::accepts_late_result(std::string_view id, bool keep) const noexcept {
    const auto found = std::ranges::find(late_, id, &late_call::id);
    return found != late_.end() && (keep || !found->is_dropped);
}

void voice_open_calls::forget_late(std::string_view id) {
    std::erase_if(late_, [&](const late_call& c) { return c.id == id; });
}

std::vector<late_call> voice_open_calls::list_late_calls() const {
    auto all = late_;
    for (const auto& c : calls_) all.push_back({c.id, c.is_dropped || !c.result});
    return all;
}

std::optional<time_point> voice_open_calls::deadline() const noexcept {
    return is_open() ? std::optional(deadline_) : std::nullopt;
}

}  // namespace tandem::gateway
