#include "conversation/ledger.hpp"

#include "conversation/heard_position.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>

namespace tandem::conversations {

void ledger::handed_over(const chunk& c) {
    // A reply's chunks come in their order: one that is no later than the last is here already.
    const bool is_here =
        !parts_.empty() && parts_.back().id.reply == c.id.reply && parts_.back().id.seq >= c.id.seq;
    if (reply_ != c.id.reply || is_here) return;
    put(c.text);
    const bool is_exact = c.speech == c.text;
    parts_.push_back({c.id, handed_over_, handed_over_ + c.text.size(),
                      is_exact ? std::string() : c.speech, !is_exact,
                      c.boundary != boundary::limit});
    handed_over_ = parts_.back().end;
}

void ledger::generated(std::string_view unspoken) {
    put(unspoken);
}

/// The text after what was handed over starts with `next`. It does so already where it is the rest
/// of a turn that was resumed.
void ledger::put(std::string_view next) {
    if (std::string_view(text_).substr(handed_over_).starts_with(next)) return;
    text_.resize(handed_over_);
    text_ += next;
}

ledger::part* ledger::find(chunk_id id) noexcept {
    const auto found =
        std::find_if(parts_.rbegin(), parts_.rend(), [id](const part& p) { return p.id == id; });
    return found == parts_.rend() ? nullptr : &*found;
}

std::string_view ledger::speech_of(const part& p) const noexcept {
    if (p.has_speech) return p.speech;
    return std::string_view(text_).substr(p.begin, p.end - p.begin);
}

void ledger::continued(chunk_id id) {
    if (const auto* p = find(id)) reach(p->end);
}

bool ledger::heard(chunk_id id, std::size_t speech_characters) {
    const auto* p = find(id);
    if (!p) return false;
    const auto text = std::string_view(text_).substr(p->begin, p->end - p->begin);
    const auto offset = text_offset(text, speech_of(*p), speech_characters);
    if (p->end > heard_) reach(p->begin + behind_marks(text, offset));
    return true;
}

bool ledger::heard_share(chunk_id id, double share) {
    const auto* p = find(id);
    if (!p) return false;
    if (share >= 1) {
        reach(p->end);
        return true;
    }
    return heard(id, speech_characters(speech_of(*p), share));
}

/// Speech that was heard whole is needed no more.
void ledger::reach(std::size_t offset) {
    heard_ = std::max(heard_, offset);
    for (; parts_heard_ < parts_.size() && parts_[parts_heard_].end <= heard_; ++parts_heard_) {
        auto& p = parts_[parts_heard_];
        std::string().swap(p.speech);
        if (p.ends_word) spoken_ = p.end;
    }
}

/// The last whole word, if there is more after it. A chunk that was spoken whole is not spoken
/// again, though no white space may follow it: `here.“Shall` is one word to whole_words().
std::size_t ledger::end_of_heard() const {
    if (heard_ == text_.size()) return heard_;
    const auto spoken = text::without_trailing_space(std::string_view(text_).substr(0, spoken_));
    return std::max(spoken.size(), whole_words(text_, heard_));
}

std::string ledger::resume() {
    heard_ = handed_over_ = spoken_ = end_of_heard();
    parts_.clear();
    parts_heard_ = 0;
    reply_.reset();
    return text_.substr(heard_);
}

std::size_t ledger::end_of(history_policy policy) const {
    switch (policy) {
        case history_policy::heard:
            return end_of_heard();
        case history_policy::handed_over:
            return handed_over_;
        case history_policy::full:
            return text_.size();
        case history_policy::none:
            break;
    }
    return 0;
}

std::string ledger::kept(history_policy policy, std::string_view mark) const {
    const std::string_view all = text_;
    const auto end = end_of(policy);
    if (text::is_all_white_space(all.substr(end))) return std::string(all.substr(0, end));
    std::string kept(text::without_trailing_space(all.substr(0, end)));
    if (!kept.empty()) kept += mark;
    return kept;
}

}  // namespace tandem::conversations
