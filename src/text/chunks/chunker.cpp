#include "text/chunks/chunker.hpp"

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/chunks/break_points.hpp"
#include "text/speech/speech_marks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tandem::text {
namespace {

// More tokens than one text needs: a character takes up to 4, and text that was withheld as a
// possible stop word takes some more.
constexpr int max_tokens_of_a_text = 256;
constexpr std::size_t max_bytes_of_a_character = 4;

chunk_limits without_zeros(chunk_limits l) noexcept {
    if (l.max_tokens <= 0) l.max_tokens = std::numeric_limits<int>::max();
    if (l.first_max_tokens <= 0) l.first_max_tokens = l.max_tokens;
    // The chunk must end at the maximum even if the minimum is larger.
    l.first_min_tokens = std::min(l.first_min_tokens, l.first_max_tokens);
    return l;
}

}  // namespace

chunker::chunker(std::unique_ptr<boundary_detector> detector, chunk_limits limits)
    : detector_(std::move(detector)), limits_(without_zeros(std::move(limits))) {}

chunker::status chunker::feed(std::string_view token_text, int tokens) {
    if (token_text.empty()) return status_;
    text_ += token_text;
    if (limits_.by_token) {
        end_piece(tokens);
        return status_;
    }
    token_ends_.insert(token_ends_.end(),
                       static_cast<std::size_t>(std::clamp(tokens, 0, max_tokens_of_a_text)),
                       static_cast<std::uint32_t>(open_text().size()));
    advance(detector_->feed(token_text));
    return status_;
}

// The text is not fed to the detector, which could divide the chunk differently.
void chunker::feed_chunk(const chunk_text& chunk) {
    text_ += chunk.text;
    ready_.push_back({chunk.text.size(), chunk.why, chunk.tokens, chunk.language});
    ready_bytes_ += chunk.text.size();
    first_ = false;
    update_status();
}

void chunker::end_piece(int tokens) {
    const auto bytes = open_text().size();
    ready_.push_back({bytes, boundary::limit, tokens});
    ready_bytes_ += bytes;
    update_status();
}

chunker::status chunker::on_hold_expired() {
    if (status_ == status::holding) advance(end_chunk({*pending_, boundary::sentence}));
    return status_;
}

chunker::status chunker::force_chunk_end() {
    if (status_ != status::reading) return on_hold_expired();
    if (const auto place = find_best_break(open_text())) advance(end_chunk(*place));
    return status_;
}

chunker::status chunker::finish() {
    advance(detector_->finish());
    while (pending_ && !is_before_min_tokens(*pending_) &&
           !is_all_white_space(open_text().substr(*pending_)))
        advance(end_chunk({*pending_, boundary::sentence}));
    if (!open_text().empty()) advance(end_chunk({open_text().size(), boundary::end}));
    return status_;
}

chunk_text chunker::take_chunk() {
    if (ready_.empty()) return {};
    auto e = std::move(ready_.front());
    ready_.pop_front();
    chunk_text p{std::string(untaken_text().substr(0, e.bytes)), e.why, e.tokens,
                 std::move(e.language)};
    begin_ += e.bytes;
    ready_bytes_ -= e.bytes;
    // Erases taken text only when it is the larger part, so that the total cost of the moves is
    // linear.
    if (begin_ > text_.size() / 2) text_.erase(0, std::exchange(begin_, 0));
    update_status();
    return p;
}

/// Number of tokens of the open chunk that end within its first `bytes`.
int chunker::tokens_until(std::size_t bytes) const noexcept {
    const auto end = std::upper_bound(token_ends_.begin(), token_ends_.end(), bytes);
    return static_cast<int>(end - token_ends_.begin());
}

/// Offset at which the first `count` tokens of the open chunk end.
std::size_t chunker::token_end(int count) const noexcept {
    const auto n = static_cast<std::size_t>(count);
    return n > token_ends_.size() ? open_text().size() : token_ends_[n - 1];
}

bool chunker::is_before_min_tokens(std::size_t end) const noexcept {
    if (!is_reachable(end)) return false;
    return first_ ? tokens_until(end) < limits_.first_min_tokens : is_below_min_chars(end);
}

/// Whether a sentence that ends at `end` is short enough to be joined with the next one.
bool chunker::is_below_min_chars(std::size_t end) const noexcept {
    const auto least = static_cast<std::size_t>(std::max(limits_.min_chars, 0));
    return end < least * max_bytes_of_a_character &&
           count_characters(open_text().substr(0, end)) < least;
}

/// Whether a chunk that ends at `end` is within the limits. The token after a mark is read before
/// the sentence end is known, and may move the end past a limit.
bool chunker::is_reachable(std::size_t end) const noexcept {
    return end <= max_chunk_bytes && tokens_until(end - 1) <= max_tokens();
}

bool chunker::is_at_limit() const noexcept {
    return open_text().size() >= max_chunk_bytes ||
           token_ends_.size() >= static_cast<std::size_t>(max_tokens());
}

/// Whether a chunk that has reached a limit may read one more token, to decide a pending sentence
/// end.
bool chunker::may_peek() const noexcept {
    return open_text().size() < max_chunk_bytes &&
           token_ends_.size() <= static_cast<std::size_t>(max_tokens());
}

/// Completes chunks until the text read so far contains no further chunk end.
void chunker::advance(boundary_verdict v) {
    for (;;) {
        v = skip_early_ends(v);
        const auto end = find_end(v);
        if (!end) break;
        v = end_chunk(*end);
    }
    pending_ = v.pending;
    if (pending_) *pending_ += sentence_start_;
    update_status();
}

boundary_verdict chunker::skip_early_ends(boundary_verdict v) {
    while (v.settled && is_before_min_tokens(sentence_start_ + *v.settled)) {
        sentence_start_ += *v.settled;
        v = detector_->end_sentence_after(*v.settled);
    }
    return v;
}

std::optional<chunker::end_place> chunker::find_end(const boundary_verdict& v) const {
    const auto usable = [this](const std::optional<std::size_t>& end) {
        return end && is_reachable(sentence_start_ + *end);
    };
    if (usable(v.settled)) return end_place{sentence_start_ + *v.settled, boundary::sentence};
    if (!is_at_limit()) return std::nullopt;
    if (!usable(v.pending)) return find_fallback_end();
    if (may_peek()) return std::nullopt;
    return end_place{sentence_start_ + *v.pending, boundary::sentence};
}

/// The best place to end the open chunk if no sentence ends in `text`, the part of the chunk to
/// search. May find none.
std::optional<chunker::end_place> chunker::find_best_break(std::string_view text) const {
    const auto mark = find_truncated_mark(text, limits_.mark_tags);
    const bool cuts_mark = mark < text.size() && !is_all_white_space(text.substr(0, mark));
    const auto clause = find_last_clause_end(text.substr(0, mark));
    if (sentence_start_ > 0 && sentence_start_ >= clause)
        return end_place{sentence_start_, boundary::sentence};
    if (clause > 0) return end_place{clause, boundary::clause};
    if (cuts_mark) return end_place{mark, boundary::word};
    if (const auto word = find_last_word_end(text); word > 0)
        return end_place{word, boundary::word};
    return std::nullopt;
}

/// The best end within the limits of the open chunk. Each chunk is scanned once; only text that is
/// carried into the next chunk is scanned again.
chunker::end_place chunker::find_fallback_end() const {
    const auto end = std::min(max_chunk_bytes, token_end(max_tokens()));
    const auto text = open_text().substr(0, floor_to_character(open_text(), end));
    return find_best_break(text).value_or(end_place{text.size(), boundary::limit});
}

/// Completes a chunk at `end`, and carries the remaining text into the next chunk. Returns the
/// verdict on the remaining text.
boundary_verdict chunker::end_chunk(end_place end) {
    const auto tokens = tokens_until(end.bytes);
    ready_.push_back({end.bytes, end.why, tokens, std::string(detector_->language())});
    ready_bytes_ += end.bytes;
    token_ends_.erase(token_ends_.begin(), token_ends_.begin() + tokens);
    for (auto& token_end : token_ends_) token_end -= static_cast<std::uint32_t>(end.bytes);
    first_ = false;
    return detector_->end_sentence_after(end.bytes - std::exchange(sentence_start_, 0));
}

void chunker::update_status() noexcept {
    if (!ready_.empty())
        status_ = status::ready;
    else if (pending_ && !is_before_min_tokens(*pending_))
        status_ = status::holding;
    else
        status_ = status::reading;
}

}  // namespace tandem::text
