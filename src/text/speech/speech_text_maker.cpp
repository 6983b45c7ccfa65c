#include "text/speech/speech_text_maker.hpp"

#include "text/characters/utf8.hpp"
#include "text/sentences/trim_to_speakable.hpp"
#include "text/speech/word_replacements.hpp"

namespace tandem::text {
namespace {

/// Removes everything that trim_to_speakable() does not keep.
mapped_speech trim(const mapped_speech& from) {
    const auto kept = trim_to_speakable(from.speech);
    const auto begin =
        kept.empty() ? 0 : static_cast<std::size_t>(kept.data() - from.speech.data());
    const speech_edit edits[] = {{0, begin}, {begin + kept.size(), from.speech.size()}};
    return edit_speech(from, edits);
}

}  // namespace

void speech_text_maker::fill_speech(chunk& c) {
    const auto& options = cleaner_.options();
    auto made = cleaner_.clean(c.text);
    if (options.form == speech_form::clean) made = trim(made);
    const bool is_cut =
        c.boundary == boundary::limit && is_word_character(decode_last_character(c.text).character);
    const word_edges edges{std::exchange(was_cut_, is_cut), is_cut};
    if (const auto edits = find_replacements(made.speech, options, edges); !edits.empty())
        made = edit_speech(made, edits);
    c.marks = cleaner_.take_marks();
    for (auto& mark : c.marks) {
        const auto at = find_speech_offset(made.runs, mark.at);
        mark.at = count_characters(std::string_view(made.speech).substr(0, at));
    }
    if (made.runs.size() == 1 && made.speech == c.text) made.runs.clear();
    c.speech = std::move(made.speech);
    c.speech_runs = std::move(made.runs);
}

}  // namespace tandem::text
