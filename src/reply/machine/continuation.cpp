#include "reply/machine/continuation.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {

continuation::continuation(known_prompt prompt, bool has_stop_words)
    : text_(std::move(prompt.text)),
      prompt_bytes_(text_.size()),
      known_bytes_(prompt.known_bytes),
      known_ids_(prompt.ids.size()),
      ids_(std::move(prompt.ids)),
      prompt_ids_(known_ids_),
      prompt_known_(known_bytes_ > 0 && known_bytes_ == prompt_bytes_),
      has_stop_words_(has_stop_words) {}

void continuation::prompt_tokenized(std::vector<wire::token_id> ids) {
    if (prompt_known_ || ids.empty() || !ids_usable_) return;
    prompt_known_ = true;
    prompt_ids_ += ids.size();
    for (auto& h : holes_) h.at += ids.size();
    last_.at += ids.size();
    ids_.insert(ids_.begin() + static_cast<std::ptrdiff_t>(known_ids_), ids.begin(), ids.end());
}

std::string_view continuation::unknown_prompt() const noexcept {
    return prompt_known_ ? std::string_view() : prompt().substr(known_bytes_);
}

void continuation::begin_request() {
    kept_before_ = std::min(kept_before_ + std::exchange(synced_, 0), wire::max_tokens_counted);
    unsynced_.clear();
    can_be_cut_ = false;
}

void continuation::append(const wire::token_event& event) {
    if (prompt_tokens_ == 0) prompt_tokens_ = event.prompt_tokens;
    unsynced_.insert(unsynced_.end(), event.tokens.begin(), event.tokens.end());
    if (event.content.empty()) return;
    // A server that does not count its tokens sends each one.
    const int least = synced_ + std::max(event.events, static_cast<int>(unsynced_.size()));
    const int predicted = std::max(event.predicted, least);
    const auto count = static_cast<std::size_t>(predicted - synced_);
    keep_span(event, count);
    pieces_.push_back(
        {static_cast<std::uint32_t>(event.content.size()), static_cast<std::uint32_t>(count)});
    text_ += event.content;
    synced_ = predicted;
    can_be_cut_ = true;
    unsynced_.clear();
}

void continuation::keep_span(const wire::token_event& event, std::size_t count) {
    if (unsynced_.empty() || unsynced_.size() > count) ids_usable_ = false;
    if (!ids_usable_) return;
    last_ = {ids_.size(), unsynced_.size(), count, event.content};
    if (last_.known != last_.count) holes_.push_back(last_);
    ids_.insert(ids_.end(), unsynced_.begin(), unsynced_.end());
}

void continuation::cut() {
    const bool is_sure = !has_stop_words_ || last_.known != last_.count;
    if (std::exchange(can_be_cut_, false) && ids_usable_ && !is_sure) holes_.push_back(last_);
}

void continuation::forget_ids() noexcept {
    ids_usable_ = prompt_known_ = false;
    known_bytes_ = known_ids_ = prompt_ids_ = 0;
    ids_.clear();
    holes_.clear();
}

std::vector<std::string> continuation::lost_texts() const {
    std::vector<std::string> texts;
    if (!ids_usable_) return texts;
    for (const auto& h : holes_) texts.push_back(h.text);
    return texts;
}

bool continuation::fits(const hole& h, std::span<const wire::token_id> ids) const {
    return ids.size() > h.count && ids[h.count] == separator &&
           ids[h.count - 1] == ids_[h.at + h.known - 1];
}

void continuation::recovered(std::span<const wire::token_id> ids) {
    auto filled = std::vector<wire::token_id>();
    std::size_t copied = 0;
    can_be_cut_ = false;
    for (const auto& h : holes_) {
        if (!fits(h, ids)) {
            ids_usable_ = false;
            break;
        }
        const auto begin = ids_.begin();
        filled.insert(filled.end(), begin + static_cast<std::ptrdiff_t>(copied),
                      begin + static_cast<std::ptrdiff_t>(h.at));
        filled.insert(filled.end(), ids.begin(),
                      ids.begin() + static_cast<std::ptrdiff_t>(h.count));
        ids = ids.subspan(h.count + 1);
        copied = h.at + h.known;
    }
    holes_.clear();
    if (!ids_usable_) return;
    filled.insert(filled.end(), ids_.begin() + static_cast<std::ptrdiff_t>(copied), ids_.end());
    ids_ = std::move(filled);
}

// A count that differs means that the server tokenized the prompt in another way.
bool continuation::all_ids_known() const noexcept {
    return prompt_known_ && prompt_ids_ == static_cast<std::size_t>(prompt_tokens_) &&
           ids_usable_ && holes_.empty();
}

prompt_view continuation::next_prompt() const {
    // Before the first answer nothing but the known ids can be wrong.
    const bool is_first = prompt_tokens_ == 0 && prompt_known_ && ids_usable_;
    if (all_ids_known() || is_first) return {ids_, {}};
    return {std::span(ids_).first(known_ids_), std::string_view(text_).substr(known_bytes_)};
}

known_text continuation::known() const {
    std::vector<known_text::anchor> anchors;
    if (known_bytes_ > 0)
        anchors.push_back(
            {static_cast<std::uint32_t>(known_bytes_), static_cast<std::uint32_t>(known_ids_)});
    const auto known_end = ids_.begin() + static_cast<std::ptrdiff_t>(known_ids_);
    if (!all_ids_known()) return {text_, {ids_.begin(), known_end}, std::move(anchors)};
    known_text::anchor end{static_cast<std::uint32_t>(prompt_bytes_),
                           static_cast<std::uint32_t>(prompt_ids_)};
    anchors.push_back(end);
    for (const auto& piece : pieces_)
        anchors.push_back(end = {end.bytes + piece.bytes, end.ids + piece.ids});
    return {text_, ids_, std::move(anchors)};
}

std::string_view continuation::prompt() const noexcept {
    return std::string_view(text_).substr(0, prompt_bytes_);
}

std::string_view continuation::generated() const noexcept {
    return std::string_view(text_).substr(prompt_bytes_);
}

}  // namespace tandem::detail
