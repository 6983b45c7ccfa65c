#include "channel/chunk_queue.hpp"

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tandem::detail {
namespace {

bool ends_with_space(std::string_view text) {
    return text::trim_trailing_space(text).size() != text.size();
}

bool begins_with_space(std::string_view text) {
    // A character may consist of several bytes.
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
        ++length;
    return !text.empty() && text::is_all_white_space(text.substr(0, length));
}

stream_chunk item_of(time_point now, chunk c) {
    return {.text = std::move(c.text),
            .speech = std::move(c.speech),
            .marks = std::move(c.marks),
            .first = c.id,
            .last = c.id,
            .tokens = c.tokens,
            .boundary = c.boundary,
            .handed_over = now};
}

stream_chunk terminal_item(const channel_end& why) {
    return {.finished = true, .finish_reason = why.finish_reason, .error = why.error};
}

}  // namespace

chunk_queue::chunk_queue(const channel_options& options)
    : pace_(options.pace), capacity_(static_cast<std::size_t>(std::max(1, options.capacity))) {}

void chunk_queue::add_chunk(time_point now, chunk c, int interval) {
    if (end_) return;
    waits_ = c.id;
    append_to_item(now, std::move(c));
    if (interval <= 1 || joined_->tokens >= interval || joined_->boundary == boundary::end ||
        joined_->text.size() >= max_item_bytes)
        complete_item();
}

// Cleaning removes the space between two chunks from their speech. The texts still show whether
// there was one, and if so, it is added again.
void chunk_queue::append_to_item(time_point now, chunk c) {
    if (!joined_) {
        is_apart_ = ends_with_space(c.text) || c.speech.empty();
        joined_ = item_of(now, std::move(c));
        return;
    }
    const bool is_apart = is_apart_ || begins_with_space(c.text);
    is_apart_ = ends_with_space(c.text) || c.speech.empty();
    auto& speech = joined_->speech;
    if (is_apart && !speech.empty() && !c.speech.empty() && !ends_with_space(speech) &&
        !begins_with_space(c.speech))
        speech += ' ';
    for (auto& mark : c.marks) {
        mark.at += text::count_characters(speech);
        joined_->marks.push_back(std::move(mark));
    }
    speech += c.speech;
    joined_->text += c.text;
    joined_->last = c.id;
    joined_->tokens += c.tokens;
    joined_->boundary = c.boundary;
    joined_->handed_over = now;
}

void chunk_queue::complete_item() {
    items_.push_back(std::move(*joined_));
    joined_.reset();
}

std::optional<stream_chunk> chunk_queue::take_item() {
    if (!items_.empty()) {
        auto item = std::move(items_.front());
        items_.pop_front();
        speaks_ = true;
        return item;
    }
    if (!end_ || std::exchange(end_taken_, true)) return std::nullopt;
    return terminal_item(*end_);
}

bool chunk_queue::has_room() const noexcept {
    return pace_ == pace::text ? items_.size() < capacity_ : items_.empty() && !speaks_;
}

std::optional<chunk_id> chunk_queue::take_chunk_to_continue() noexcept {
    if (end_ || !waits_ || !has_room()) return std::nullopt;
    return std::exchange(waits_, std::nullopt);
}

bool chunk_queue::end(channel_end why) {
    if (why.finish_reason == finish_reason::interrupted) {
        items_.clear();
        joined_.reset();
    }
    if (end_) return false;
    end_ = std::move(why);
    if (joined_) complete_item();
    return true;
}

}  // namespace tandem::detail
