#include "reply/transcript/reply_transcript.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {

reply_transcript::reply_transcript(prompt_with_ids prompt, bool has_stop_words)
    : text_(std::move(prompt.text)),
      prompt_bytes_(text_.size()),
      known_bytes_(prompt.bytes_with_ids),
      known_ids_(prompt.ids.size()),
      ids_(std::move(prompt.ids)),
      prompt_ids_(known_ids_),
      prompt_known_(known_bytes_ > 0 && known_bytes_ == prompt_bytes_),
      has_stop_words_(has_stop_words) {}

void reply_transcript::on_prompt_tokenized(std::vector<wire::token_id> ids) {
    if (prompt_known_ || ids.empty() || !ids_usable_) return;
    prompt_known_ = true;
    prompt_ids_ += ids.size();
    for (auto& h : holes_) h.at += ids.size();
    last_.at += ids.size();
    ids_.insert(ids_.begin() + static_cast<std::ptrdiff_t>(known_ids_), ids.begin(), ids.end());
}

std::string_view reply_transcript::untokenized_prompt() const noexcept {
    return prompt_known_ ? std::string_view() : prompt().substr(known_bytes_);
}

void reply_transcript::begin_request() {
    kept_before_ = std::min(kept_before_ + std::exchange(synced_, 0), wire::max_token_sum);
    unsynced_.clear();
    can_be_cut_ = false;
}

void reply_transcript::append(const wire::token_event& event) {
    if (prompt_tokens_ == 0) prompt_tokens_ = event.prompt_tokens;
    unsynced_.insert(unsynced_.end(), event.tokens.begin(), event.tokens.end());
    if (event.content.empty()) return;
    // A server that does not count its tokens sends each of them.
    const int least = synced_ + std::max(event.events, static_cast<int>(unsynced_.size()));
    const int predicted = std::max(event.predicted, least);
    const auto count = static_cast<std::size_t>(predicted - synced_);
    store_token_ids(event, count);
    pieces_.push_back(
        {static_cast<std::uint32_t>(event.content.size()), static_cast<std::uint32_t>(count)});
    text_ += event.content;
    synced_ = predicted;
    can_be_cut_ = true;
    unsynced_.clear();
}

void reply_transcript::store_token_ids(const wire::token_event& event, std::size_t count) {
    if (unsynced_.empty() || unsynced_.size() > count) ids_usable_ = false;
    if (!ids_usable_) return;
    last_ = {ids_.size(), unsynced_.size(), count, event.content};
    if (last_.known != last_.count) holes_.push_back(last_);
    ids_.insert(ids_.end(), unsynced_.begin(), unsynced_.end());
}

void reply_transcript::record_cut() {
    const bool is_sure = !has_stop_words_ || last_.known != last_.count;
    if (std::exchange(can_be_cut_, false) && ids_usable_ && !is_sure) holes_.push_back(last_);
}

void reply_transcript::append_mark(std::string_view mark) {
    if (ids_usable_) holes_.push_back({ids_.size(), 0, 0, std::string(mark), pieces_.size()});
    pieces_.push_back({static_cast<std::uint32_t>(mark.size()), 0});
    text_ += mark;
    unsynced_.clear();
    can_be_cut_ = false;
}

void reply_transcript::forget_ids() noexcept {
    ids_usable_ = prompt_known_ = false;
    known_bytes_ = known_ids_ = prompt_ids_ = 0;
    ids_.clear();
    holes_.clear();
}

std::vector<std::string> reply_transcript::texts_with_missing_ids() const {
    std::vector<std::string> texts;
    if (!ids_usable_) return texts;
    for (const auto& h : holes_) texts.push_back(h.text);
    return texts;
}

bool reply_transcript::is_missing_mark() const noexcept {
    return ids_usable_ && std::ranges::any_of(holes_, &missing_ids::is_mark);
}

/// The number of ids at the start of `ids` that belong to the piece.
std::size_t reply_transcript::count_ids_of_piece(const missing_ids& h,
                                                 std::span<const wire::token_id> ids) {
    if (!h.is_mark()) return h.count;
    return static_cast<std::size_t>(std::ranges::find(ids, separator) - ids.begin());
}

bool reply_transcript::matches_piece(const missing_ids& h, std::span<const wire::token_id> ids,
                                     std::size_t count) const {
    if (count == 0 || ids.size() <= count || ids[count] != separator) return false;
    return h.is_mark() || ids[count - 1] == ids_[h.at + h.known - 1];
}

void reply_transcript::set_recovered_ids(std::span<const wire::token_id> ids) {
    auto filled = std::vector<wire::token_id>();
    std::size_t copied = 0;
    can_be_cut_ = false;
    for (const auto& h : holes_) {
        const auto count = count_ids_of_piece(h, ids);
        if (!matches_piece(h, ids, count)) {
            ids_usable_ = false;
            break;
        }
        const auto begin = ids_.begin();
        filled.insert(filled.end(), begin + static_cast<std::ptrdiff_t>(copied),
                      begin + static_cast<std::ptrdiff_t>(h.at));
        filled.insert(filled.end(), ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count));
        if (h.is_mark()) pieces_[h.piece].ids = static_cast<std::uint32_t>(count);
        ids = ids.subspan(count + 1);
        copied = h.at + h.known;
    }
    holes_.clear();
    if (!ids_usable_) return;
    filled.insert(filled.end(), ids_.begin() + static_cast<std::ptrdiff_t>(copied), ids_.end());
    ids_ = std::move(filled);
}

// If the server's count of the prompt differs from the number of ids, it has tokenized the prompt
// differently.
bool reply_transcript::all_ids_known() const noexcept {
    return prompt_known_ && prompt_ids_ == static_cast<std::size_t>(prompt_tokens_) &&
           ids_usable_ && holes_.empty();
}

prompt_view reply_transcript::next_prompt() const {
    // Before the first answer, the server's count is unknown, so the ids are used without this
    // check.
    const bool is_first = prompt_tokens_ == 0 && prompt_known_ && ids_usable_ && holes_.empty();
    if (all_ids_known() || is_first) return {ids_, {}};
    return {std::span(ids_).first(known_ids_), std::string_view(text_).substr(known_bytes_)};
}

tokenized_text reply_transcript::to_tokenized_text() const {
    std::vector<tokenized_text::token_boundary> boundaries;
    if (known_bytes_ > 0)
        boundaries.push_back(
            {static_cast<std::uint32_t>(known_bytes_), static_cast<std::uint32_t>(known_ids_)});
    const auto known_end = ids_.begin() + static_cast<std::ptrdiff_t>(known_ids_);
    if (!all_ids_known()) return {text_, {ids_.begin(), known_end}, std::move(boundaries)};
    tokenized_text::token_boundary end{static_cast<std::uint32_t>(prompt_bytes_),
                                       static_cast<std::uint32_t>(prompt_ids_)};
    boundaries.push_back(end);
    for (const auto& piece : pieces_)
        boundaries.push_back(end = {end.bytes + piece.bytes, end.ids + piece.ids});
    return {text_, ids_, std::move(boundaries)};
}

std::string_view reply_transcript::prompt() const noexcept {
    return std::string_view(text_).substr(0, prompt_bytes_);
}

std::string_view reply_transcript::generated() const noexcept {
    return std::string_view(text_).substr(prompt_bytes_);
}

}  // namespace tandem::detail
