#include "simulation/expected_history.hpp"

#include "conversation/history/heard_position.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <utility>

namespace tandem::test {

void expected_history::said(std::string text) {
    settle();
    exchanges_.push_back({{.role = "user", .content = std::move(text)}});
}

void expected_history::prepare_turn(std::string_view model_text) {
    settle();
    state_ = state::running;
    text_ = model_text;
}

void expected_history::on_handed_over(const chunk& c) {
    const auto begin = std::exchange(handed_over_, handed_over_ + c.text.size());
    chunks_[c.id] = {begin, handed_over_, c.boundary != boundary::limit};
    generated_ = std::max(generated_, handed_over_);
}

void expected_history::on_reply_ended(time_point now, finish_reason why, std::size_t generated) {
    generated_ = std::max(generated_, generated);
    if (why == finish_reason::interrupted) return on_interrupted(now);
    state_ = why == finish_reason::error ? state::failed : state::complete;
}

void expected_history::on_interrupted(time_point now) {
    if (state_ == state::none || state_ == state::interrupted) return;
    state_ = state::interrupted;
    interrupted_at_ = now;
}

bool expected_history::is_over(time_point now) const {
    return state_ == state::interrupted && now >= interrupted_at_ + options_.resume_grace;
}

bool expected_history::can_resume(time_point now) const {
    return state_ == state::interrupted && !is_over(now);
}

std::string expected_history::resume() {
    heard_ = handed_over_ = spoken_ = heard_end_offset();
    chunks_.clear();
    state_ = state::running;
    return text_.substr(heard_, generated_ - heard_);
}

bool expected_history::heard(time_point now, chunk_id id, std::size_t characters) {
    settle_if_over(now);
    const auto found = chunks_.find(id);
    if (found == chunks_.end()) return false;
    auto at = found->second.begin;
    for (; characters > 0 && at < found->second.end; --characters)
        at += text::decode_first_character(std::string_view(text_).substr(at)).bytes;
    const auto& [begin, end, ends_word] = found->second;
    const auto chunk = std::string_view(text_).substr(begin, end - begin);
    reach(begin + conversations::skip_closing_marks(chunk, at - begin));
    return true;
}

void expected_history::on_continued(time_point now, chunk_id id) {
    // A continue that arrives after an interrupt does not mean that the chunk was heard.
    if (state_ == state::interrupted && !is_over(now)) return;
    settle_if_over(now);
    if (const auto found = chunks_.find(id); found != chunks_.end()) reach(found->second.end);
}

void expected_history::reach(std::size_t offset) {
    heard_ = std::max(heard_, offset);
    for (const auto& [id, c] : chunks_)
        if (c.ends_word && c.end <= heard_) spoken_ = std::max(spoken_, c.end);
}

std::size_t expected_history::drop(std::size_t exchanges) {
    exchanges = std::min(exchanges, exchanges_.size() - 1);
    exchanges_.erase(exchanges_.begin(), exchanges_.begin() + static_cast<long>(exchanges));
    return exchanges;
}

void expected_history::settle_if_over(time_point now) {
    if (is_over(now)) settle();
}

void expected_history::settle() {
    if (state_ == state::none) return;
    for (auto& m : turn_messages()) exchanges_.back().push_back(std::move(m));
    for (const auto& c : calls_)
        if (!results_.contains(c.id)) late_calls_[c.id] = c.name;
    calls_.clear();
    results_.clear();
    state_ = state::none;
    generated_ = handed_over_ = heard_ = spoken_ = 0;
    chunks_.clear();
}

std::size_t expected_history::heard_end_offset() const {
    if (heard_ == generated_) return heard_;
    const auto words =
        conversations::floor_to_word_end(std::string_view(text_).substr(0, generated_), heard_);
    return std::max(text::trim_trailing_space(text_.substr(0, spoken_)).size(), words);
}

std::size_t expected_history::end_of_kept() const {
    if (state_ == state::failed) return handed_over_;
    if (state_ != state::interrupted) return generated_;
    switch (options_.interrupted) {
        case history_policy::heard:
            return heard_end_offset();
        case history_policy::handed_over:
            return handed_over_;
        case history_policy::full:
            return generated_;
        case history_policy::none:
            break;
    }
    return 0;
}

std::string expected_history::kept() const {
    const auto end = end_of_kept();
    auto all = text_.substr(0, end);
    if (text::is_all_white_space(text_.substr(end, generated_ - end))) return all;
    all.resize(text::trim_trailing_space(all).size());
    const bool is_marked = state_ == state::interrupted && !all.empty();
    return is_marked ? all + options_.interrupted_mark : all;
}

std::vector<chat_message> expected_history::transcript() const {
    std::vector<chat_message> all;
    for (const auto& e : exchanges_) all.insert(all.end(), e.begin(), e.end());
    for (auto& m : turn_messages()) all.push_back(std::move(m));
    return all;
}

std::vector<chat_message> expected_history::turn_messages() const {
    if (state_ == state::none) return {};
    if (text::is_all_white_space(kept()) && calls_.empty()) return {};
    std::vector<chat_message> all{{"assistant", kept(), calls_}};
    for (const auto& c : calls_) {
        const auto found = results_.find(c.id);
        all.push_back(
            {.role = "tool",
             .content = found == results_.end() ? "No result: interrupted." : found->second,
             .tool_call_id = c.id,
             .name = c.name});
    }
    return all;
}

bool expected_history::answer_call(const std::string& id, std::string content, bool is_final) {
    const auto call = std::ranges::find(calls_, id, &tool_call::id);
    if (call == calls_.end() || (results_.contains(id) && !late_calls_.contains(id))) return false;
    results_[id] = std::move(content);
    late_calls_.erase(id);
    if (!is_final) late_calls_[id] = call->name;
    return true;
}

std::optional<std::string> expected_history::take_late_result(const std::string& id,
                                                              const std::string& content) {
    const auto call = late_calls_.extract(id);
    if (!call) return std::nullopt;
    return "Result of " + call.mapped() + ": " + content;
}

}  // namespace tandem::test
