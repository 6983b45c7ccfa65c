#include "reply/machine/chunk_outbox.hpp"

#include "text/characters/utf8.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {

void chunk_outbox::add_chunk(time_point now, chunk c) {
    if (count_unacknowledged() == 0) since_ = now;
    held_.push_back(std::move(c));
}

void chunk_outbox::add_reasoning(time_point now, std::string_view text) {
    if (held_.empty() || !held_.back().text.empty()) add_chunk(now, {.boundary = boundary::limit});
    held_.back().reasoning += text;
}

void chunk_outbox::add_call_piece(time_point now, const wire::tool_call_reader::piece& call) {
    add_reasoning(now, {});
    held_.back().called += call.name;
    held_.back().arguments += call.arguments;
}

chunk chunk_outbox::hand_over(time_point now, text::speech_text_maker& voice) {
    auto c = std::move(held_.front());
    held_.pop_front();
    c.id = {reply_, next_seq_++};
    if (!c.text.empty()) voice.fill_speech(c);
    c.early = is_speaking();
    if (!c.early) since_ = now;
    unspoken_.push_back({c.id.seq, text::count_characters(c.speech), !c.text.empty()});
    is_wanted_ = false;
    return c;
}

auto chunk_outbox::continue_spoken_chunk(time_point now) -> unspoken_chunk {
    const auto spoken = unspoken_.front();
    unspoken_.pop_front();
    since_ = now;
    return spoken;
}

std::optional<time_point> chunk_outbox::consumer_wait_since() const noexcept {
    return count_unacknowledged() > 0 ? std::optional(since_) : std::nullopt;
}

bool chunk_outbox::has_no_held_text() const noexcept {
    return std::all_of(held_.begin(), held_.end(), [](const chunk& c) { return c.text.empty(); });
}

std::string chunk_outbox::held_text() const {
    std::string text;
    for (const auto& c : held_) text += c.text;
    return text;
}

}  // namespace tandem::detail
