#include "text/speech/word_replacements.hpp"

#include "text/characters/utf8.hpp"
#include "text/speech/speech_marks.hpp"
#include "text/speech/speech_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace tandem::text {
namespace {

constexpr std::size_t max_added_bytes = 64 * 1024;

bool starts_in_word(std::string_view text) noexcept {
    return is_word_character(decode_first_character(text).character);
}
bool ends_in_word(std::string_view text) noexcept {
    return is_word_character(decode_last_character(text).character);
}

class replacement_finder {
 public:
    replacement_finder(std::string_view speech, const speech_options& options, word_edges edges)
        : speech_(speech), options_(options), edges_(edges) {}

    std::vector<speech_edit> find() {
        while (at_ < speech_.size() && added_ < max_added_bytes) {
            if (const auto* found = find_longest())
                replace(found->first.size(), found->second);
            else
                at_ += std::max(kept_mark(), decode_first_character(speech_.substr(at_)).bytes);
        }
        return std::move(edits_);
    }

 private:
    std::size_t kept_mark() const {
        if (options_.marks != mark_speech::keep) return 0;
        return match_speech_mark(speech_.substr(at_), options_.mark_tags).bytes;
    }
    const speech_replacements::value_type* find_longest() const {
        const auto rest = speech_.substr(at_);
        const speech_replacements::value_type* found = nullptr;
        // Among the words that match here, longer ones come later in the map, so the last match is
        // kept.
        for (auto r = options_.replace.lower_bound(rest.substr(0, 1));
             r != options_.replace.end() && r->first.front() == rest.front(); ++r)
            if (rest.starts_with(r->first) && is_whole(r->first)) found = &*r;
        return found;
    }
    bool is_whole(std::string_view word) const {
        return !(starts_in_word(word) && follows_word()) &&
               !(text::ends_in_word(word) && precedes_word(at_ + word.size()));
    }
    bool follows_word() const {
        return at_ > 0 ? text::ends_in_word(speech_.substr(0, at_)) : edges_.at_start;
    }
    bool precedes_word(std::size_t end) const {
        return end < speech_.size() ? starts_in_word(speech_.substr(end)) : edges_.at_end;
    }
    void replace(std::size_t bytes, const std::string& words) {
        const auto end = at_ + bytes;
        const bool is_next = !edits_.empty() && edits_.back().end == at_;
        const bool follows =
            is_next ? text::ends_in_word(edits_.back().words) : at_ > 0 && follows_word();
        std::string spaced = follows && starts_in_word(words) ? " " + words : words;
        if (text::ends_in_word(words) && precedes_word(end)) spaced += ' ';
        added_ += spaced.size();
        edits_.push_back({at_, end, std::move(spaced)});
        at_ = end;
    }

    std::string_view speech_;
    const speech_options& options_;
    word_edges edges_;
    std::vector<speech_edit> edits_;
    std::size_t at_ = 0;
    std::size_t added_ = 0;
};

}  // namespace

std::vector<speech_edit> find_replacements(std::string_view speech, const speech_options& options,
                                           word_edges edges) {
    if (options.replace.empty()) return {};
    return replacement_finder(speech, options, edges).find();
}

}  // namespace tandem::text
