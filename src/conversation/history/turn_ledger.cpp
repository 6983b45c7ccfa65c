#include "conversation/history/turn_ledger.hpp"

#include "conversation/history/heard_position.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>

namespace tandem::conversations {

turn_ledger::turn_ledger(saved_open_turn saved)
    : text_(std::move(saved.text)),
      is_complete_(saved.is_complete),
      handed_over_(saved.handed_over),
      heard_(saved.heard),
      spoken_(saved.spoken) {
    for (auto& c : saved.chunks)
        parts_.push_back({{c.reply, c.seq},
                          c.begin,
                          c.end,
                          std::move(c.speech),
                          std::move(c.speech_runs),
                          c.ends_word});
}

saved_open_turn turn_ledger::to_saved_open_turn() const {
    saved_open_turn all{.text = text_,
                        .handed_over = handed_over_,
                        .heard = heard_,
                        .spoken = spoken_,
                        .is_complete = is_complete_};
    for (std::size_t i = parts_heard_; i < parts_.size(); ++i) {
        const auto& p = parts_[i];
        all.chunks.push_back({p.id.reply, p.id.seq, p.begin, p.end, p.speech, p.runs, p.ends_word});
    }
    return all;
}

void turn_ledger::on_handed_over(const chunk& c) {
    // A reply's chunks arrive in order, so a chunk with a lower or equal number is a repetition.
    const bool is_here =
        !parts_.empty() && parts_.back().id.reply == c.id.reply && parts_.back().id.seq >= c.id.seq;
    if (reply_ != c.id.reply || is_here) return;
    overwrite_text(c.text);
    parts_.push_back({c.id, handed_over_, handed_over_ + c.text.size(),
                      c.speech_runs.empty() ? std::string() : c.speech, c.speech_runs,
                      c.boundary != boundary::limit});
    handed_over_ = parts_.back().end;
    is_complete_ = is_complete_ || c.boundary == boundary::end;
}

void turn_ledger::retract_chunk(chunk_id id) noexcept {
    if (parts_.empty() || parts_.back().id != id || parts_.back().begin < heard_) return;
    handed_over_ = parts_.back().begin;
    parts_.pop_back();
}

void turn_ledger::record_unspoken_text(std::string_view unspoken) {
    overwrite_text(unspoken);
}

/// Makes the text after the handed-over part begin with `next`. A resumed turn hands over its rest
/// again, so that text may already be there; otherwise, `next` replaces the rest.
void turn_ledger::overwrite_text(std::string_view next) {
    if (std::string_view(text_).substr(handed_over_).starts_with(next)) return;
    text_.resize(handed_over_);
    text_ += next;
    is_complete_ = false;
}

turn_ledger::part* turn_ledger::find(chunk_id id) noexcept {
    const auto found =
        std::find_if(parts_.rbegin(), parts_.rend(), [id](const part& p) { return p.id == id; });
    return found == parts_.rend() ? nullptr : &*found;
}

std::string_view turn_ledger::speech_of(const part& p) const noexcept {
    if (!p.runs.empty()) return p.speech;
    return std::string_view(text_).substr(p.begin, p.end - p.begin);
}

void turn_ledger::on_continued(chunk_id id) {
    if (const auto* p = find(id)) advance_heard(p->end);
}

bool turn_ledger::record_heard(chunk_id id, std::size_t speech_characters) {
    const auto* p = find(id);
    if (!p) return false;
    const auto text = std::string_view(text_).substr(p->begin, p->end - p->begin);
    const auto offset = map_speech_to_text_offset(text, speech_of(*p), p->runs, speech_characters);
    if (p->end > heard_) advance_heard(p->begin + skip_closing_marks(text, offset));
    return true;
}

bool turn_ledger::record_heard_share(chunk_id id, double share) {
    const auto* p = find(id);
    if (!p) return false;
    if (share >= 1) {
        advance_heard(p->end);
        return true;
    }
    return record_heard(id, count_heard_characters(speech_of(*p), share));
}

/// Moves heard_, and frees the speech of chunks that were heard completely.
void turn_ledger::advance_heard(std::size_t offset) {
    heard_ = std::max(heard_, offset);
    for (; parts_heard_ < parts_.size() && parts_[parts_heard_].end <= heard_; ++parts_heard_) {
        auto& p = parts_[parts_heard_];
        std::string().swap(p.speech);
        std::vector<speech_run>().swap(p.runs);
        if (p.ends_word) spoken_ = p.end;
    }
}

/// The end of the last whole word that was heard, or of the last chunk that was spoken completely,
/// if later. floor_to_word_end() alone would repeat the end of that chunk if no white space follows
/// it, because it treats `here.“Shall` as one word.
std::size_t turn_ledger::heard_end_offset() const {
    if (heard_ == text_.size()) return heard_;
    const auto spoken = text::trim_trailing_space(std::string_view(text_).substr(0, spoken_));
    return std::max(spoken.size(), floor_to_word_end(text_, heard_));
}

std::string turn_ledger::resume(std::optional<chunk_id> speaking) {
    reply_.reset();
    const auto* const spoken = speaking ? find(*speaking) : nullptr;
    if (spoken && spoken->end >= heard_) return resume_after(*spoken);
    heard_ = handed_over_ = spoken_ = heard_end_offset();
    parts_.clear();
    parts_heard_ = 0;
    return text_.substr(heard_);
}

std::string turn_ledger::resume_after(const part& p) {
    handed_over_ = p.end;
    parts_.resize(static_cast<std::size_t>(&p - parts_.data()) + 1);
    parts_heard_ = std::min(parts_heard_, parts_.size());
    return text_.substr(handed_over_);
}

std::size_t turn_ledger::end_of(history_policy policy) const {
    switch (policy) {
        case history_policy::heard:
            return heard_end_offset();
        case history_policy::handed_over:
            return handed_over_;
        case history_policy::full:
            return text_.size();
        case history_policy::none:
            break;
    }
    return 0;
}

std::string turn_ledger::make_history_text(history_policy policy, std::string_view mark) const {
    const std::string_view all = text_;
    const auto end = end_of(policy);
    if (text::is_all_white_space(all.substr(end))) return std::string(all.substr(0, end));
    std::string kept(text::trim_trailing_space(all.substr(0, end)));
    if (!kept.empty()) kept += mark;
    return kept;
}

}  // namespace tandem::conversations
