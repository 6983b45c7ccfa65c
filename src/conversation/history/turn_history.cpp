#include "conversation/history/turn_history.hpp"

#include "text/characters/white_space.hpp"

#include <algorithm>
#include <utility>

namespace tandem::conversations {
namespace {

constexpr std::string_view user = "user";
constexpr std::string_view system_role = "system";
constexpr std::string_view assistant = "assistant";
constexpr std::string_view tool = "tool";

std::size_t bytes_of(const chat_message& m) noexcept {
    auto bytes = m.content.size() + m.name.size();
    for (const auto& call : m.tool_calls) bytes += call.name.size() + call.arguments.size();
    return bytes;
}

std::size_t bytes_of(const std::vector<chat_message>& messages) noexcept {
    std::size_t bytes = 0;
    for (const auto& m : messages) bytes += bytes_of(m);
    return bytes;
}

bool is_complete(finish_reason why) noexcept {
    return why != finish_reason::interrupted && why != finish_reason::error;
}

// A message of the assistant without tool calls.
bool is_plain(const chat_message& m) {
    return m.role == assistant && m.tool_calls.empty();
}

// The space between two messages that are joined. None by default, because the second message may
// continue a word of the first; but after a sentence, there must be one.
std::string_view gap_between(const std::string& text, const std::string& next) {
    const bool is_sentence =
        !text.empty() && std::string_view(".!?").find(text.back()) != std::string_view::npos;
    const bool has_gap = next.empty() || text::trim_leading_space(next).size() < next.size();
    return is_sentence && !has_gap ? " " : "";
}

chat_message make_result(const tool_call& call, std::string content) {
    return {.role = std::string(tool),
            .content = std::move(content),
            .tool_call_id = call.id,
            .name = call.name};
}

std::vector<chat_message> join_messages(std::vector<chat_message> messages) {
    std::vector<chat_message> joined;
    for (auto& m : messages) {
        const bool follows = !joined.empty() && joined.back().role == m.role;
        if (follows && m.role == user)
            joined.back().content += "\n" + m.content;
        else if (follows && is_plain(m) && is_plain(joined.back()))
            joined.back().content.append(gap_between(joined.back().content, m.content)) +=
                m.content;
        else
            joined.push_back(std::move(m));
    }
    return joined;
}

}  // namespace

turn_history::turn_history(conversation_options options) : options_(std::move(options)) {
    for (auto& m : std::exchange(options_.messages, {})) append_message(std::move(m));
}

// Messages and turns

bool turn_history::append(chat_message m) {
    if (state_ == turn_state::running) return false;
    if (is_repeated_result(m)) return false;
    move_turn_to_history();
    append_message(std::move(m));
    return true;
}

/// System messages before all other messages form the system prompt.
void turn_history::append_message(chat_message m) {
    if (exchanges_.empty() && m.role == system_role) return system_.push_back(std::move(m));
    const bool begins = m.role == user && !exchanges_.empty() &&
                        !exchanges_.back().messages.empty() && !is_awaiting_tool_result();
    if (exchanges_.empty() || begins) begin_exchange();
    exchanges_.back().messages.push_back(std::move(m));
}

/// Whether a tool call of the last exchange has no result yet. The result may come after a message
/// of the user, and must stay with its call.
bool turn_history::is_awaiting_tool_result() const {
    const auto& messages = exchanges_.back().messages;
    std::size_t calls = 0, results = 0;
    for (const auto& m : messages) {
        calls += m.tool_calls.size();
        results += m.role == tool ? 1 : 0;
    }
    return results < calls;
}

void turn_history::begin_exchange() {
    exchanges_.emplace_back();
    prompt_at_previous_ = std::exchange(prompt_at_last_, -1);
}

bool turn_history::begin_turn() {
    if (state_ == turn_state::running) return false;
    move_turn_to_history();
    if (exchanges_.empty()) begin_exchange();
    state_ = turn_state::running;
    is_resumed_ = is_given_ = false;
    return true;
}

void turn_history::record_calls(std::vector<tool_call> calls) {
    if (state_ == turn_state::running) calls_ = std::move(calls);
}

bool turn_history::answer_call(std::string_view id, const std::string& content, bool is_final) {
    const auto call = std::ranges::find(calls_, id, &tool_call::id);
    if (call == calls_.end()) return false;
    if (!take_late_call(id) && find_result(id)) return false;
    if (!is_final) expect_late_result(*call);
    std::erase_if(results_, [&](const chat_message& m) { return m.tool_call_id == id; });
    results_.push_back(make_result(*call, content));
    return true;
}

void turn_history::add_filler(const std::string& text) {
    if (is_open()) filler_ = text::join_with_space(filler_, text);
}

void turn_history::on_turn_ended(time_point now, finish_reason why) {
    if (state_ != turn_state::running) return;
    if (why == finish_reason::interrupted) {
        on_interrupted(now);
        return;
    }
    state_ = turn_state::ended;
    end_ = is_complete(why) ? turn_end::complete : turn_end::failed;
}

bool turn_history::on_interrupted(time_point now) {
    if (!is_open()) return false;
    if (is_cut_short()) return false;
    state_ = turn_state::ended;
    end_ = turn_end::interrupted;
    interrupted_at_ = now;
    return true;
}

bool turn_history::can_resume(time_point now) const noexcept {
    return is_cut_short() && !is_over(now);
}

std::optional<std::string> turn_history::resume(time_point now, std::optional<chunk_id> speaking) {
    if (!can_resume(now)) return std::nullopt;
    state_ = turn_state::running;
    is_resumed_ = true;
    return turn_.resume(speaking);
}

turn_state turn_history::state(time_point now) const noexcept {
    return is_over(now) ? turn_state::settled : state_;
}

bool turn_history::is_over(time_point now) const noexcept {
    return is_cut_short() && now - interrupted_at_ >= options_.resume_grace;
}

bool turn_history::is_open() const noexcept {
    return state_ == turn_state::running || state_ == turn_state::ended;
}

// Settling

void turn_history::settle_if_over(time_point now) {
    if (is_over(now)) move_turn_to_history();
}

void turn_history::interrupt_running() noexcept {
    if (state_ != turn_state::running) return;
    state_ = turn_state::ended;
    end_ = turn_end::interrupted;
}

void turn_history::move_turn_to_history() {
    if (state_ != turn_state::ended) return;
    for (auto& m : make_turn_messages()) exchanges_.back().messages.push_back(std::move(m));
    for (const auto& c : calls_)
        if (!find_result(c.id)) expect_late_result(c);
    settled_turn_ = last_turn();
    state_ = turn_state::settled;
    turn_ = turn_ledger();
    filler_.clear();
    calls_.clear();
    results_.clear();
}

std::string turn_history::make_kept_text() const {
    if (state_ == turn_state::running) return turn_.text();
    switch (end_) {
        case turn_end::interrupted:
            return turn_.make_history_text(options_.interrupted, options_.interrupted_mark);
        case turn_end::failed:
            return turn_.make_history_text(history_policy::handed_over, {});
        case turn_end::complete:
            break;
    }
    return turn_.text();
}

std::string turn_history::separate_from_last_words(std::string text) const {
    const auto& before = exchanges_.back().messages;
    if (before.empty() || !is_plain(before.back())) return text;
    const auto& words = before.back().content;
    return text::join_with_space(words, text).substr(words.size());
}

/// The turn as a message with its calls, followed by the results of the calls; empty if nothing of
/// the turn is kept.
std::vector<chat_message> turn_history::make_turn_messages() const {
    if (!is_open()) return {};
    auto words = make_kept_text();
    // The prompt of a running turn must end with the text that the model continues.
    if (state_ != turn_state::running) words = text::join_with_space(filler_, words);
    if (text::is_all_white_space(words) && calls_.empty()) return {};
    if (is_given_) words = separate_from_last_words(std::move(words));
    std::vector<chat_message> messages{
        {.role = std::string(assistant), .content = std::move(words), .tool_calls = calls_}};
    for (const auto& call : calls_) {
        const auto* const result = find_result(call.id);
        messages.push_back(result ? *result : make_result(call, std::string(no_result)));
    }
    return messages;
}

// Progress of the turn

void turn_history::begin_reply(std::uint64_t reply) noexcept {
    if (state_ == turn_state::running) turn_.begin_reply(reply);
}

void turn_history::on_handed_over(const chunk& c) {
    if (state_ == turn_state::running) turn_.on_handed_over(c);
}

void turn_history::record_unspoken_text(time_point now, std::string_view unspoken) {
    settle_if_over(now);
    if (is_open()) turn_.record_unspoken_text(unspoken);
}

// After an interrupt, a silenced voice may report that it is done, although the chunk was not
// heard.
void turn_history::on_continued(time_point now, chunk_id id) {
    settle_if_over(now);
    if (state_ != turn_state::ended || end_ != turn_end::interrupted) turn_.on_continued(id);
}

bool turn_history::record_heard(time_point now, chunk_id id, std::size_t speech_characters) {
    settle_if_over(now);
    return turn_.record_heard(id, speech_characters);
}

bool turn_history::record_heard_share(time_point now, chunk_id id, double share) {
    settle_if_over(now);
    return turn_.record_heard_share(id, share);
}

saved_turn turn_history::last_turn() const noexcept {
    if (!is_open()) return settled_turn_;
    return {turn_.generated_bytes(), turn_.handed_over_bytes(), turn_.heard_bytes()};
}

// Contents of the next prompt

std::vector<chat_message> turn_history::settled_transcript() const {
    auto all = system_;
    for (const auto& e : exchanges_) all.insert(all.end(), e.messages.begin(), e.messages.end());
    return all;
}

std::vector<chat_message> turn_history::transcript() const {
    auto all = settled_transcript();
    for (auto& m : make_turn_messages()) all.push_back(std::move(m));
    return all;
}

std::vector<chat_message> turn_history::messages() const {
    return join_messages(transcript());
}

std::vector<chat_message> turn_history::messages_before_turn() const {
    return join_messages(settled_transcript());
}

// Use of the context

void turn_history::record_prompt_tokens(int tokens) {
    if (tokens < 0 || exchanges_.empty() || prompt_at_last_ >= 0 || !is_unanswered()) return;
    prompt_at_last_ = tokens;
    if (prompt_at_previous_ >= 0 && prompt_at_previous_ < tokens)
        exchanges_[exchanges_.size() - 2].tokens = tokens - prompt_at_previous_;
}

/// Whether the last exchange has no answer yet: each exchange is measured at this point, so that
/// the differences are the sizes of exchanges.
bool turn_history::is_unanswered() const noexcept {
    return !is_resumed_ &&
           std::ranges::all_of(exchanges_.back().messages, [](const chat_message& m) {
               return m.role == user || m.role == system_role;
           });
}

std::vector<exchange_size> turn_history::measure_exchanges() const {
    std::vector<exchange_size> list;
    for (const auto& e : exchanges_) list.push_back({e.tokens, bytes_of(e.messages)});
    if (!list.empty()) list.back().bytes += bytes_of(make_turn_messages());
    return list;
}

std::size_t turn_history::system_bytes() const noexcept {
    return bytes_of(system_);
}

std::size_t turn_history::average_user_bytes() const noexcept {
    std::size_t bytes = 0, count = 0;
    for (const auto& e : exchanges_)
        for (const auto& m : e.messages) {
            if (m.role != user) continue;
            bytes += bytes_of(m);
            ++count;
        }
    return count ? bytes / count : 0;
}

/// Discards the measurements, because they belong to the longer prompt.
std::size_t turn_history::drop_oldest(std::size_t count) {
    count = std::min(count, exchanges_.empty() ? 0 : exchanges_.size() - 1);
    if (count == 0) return 0;
    for (std::size_t i = 0; i < count; ++i) dropped_bytes_ += bytes_of(exchanges_[i].messages);
    exchanges_.erase(exchanges_.begin(), exchanges_.begin() + static_cast<std::ptrdiff_t>(count));
    reset_prompt_measurements();
    return count;
}

}  // namespace tandem::conversations
