#pragma once

#include "tandem/chunk.hpp"

#include <cstddef>
#include <span>
#include <string_view>

// Converts what the voice reports as heard into positions in the text. All texts are valid UTF-8.
namespace tandem::conversations {

/// Number of characters in the share `fraction` of `speech`, rounded down. Values below 0 and NaN
/// mean 0, and values above 1 mean 1.
std::size_t count_heard_characters(std::string_view speech, double fraction) noexcept;

/// Number of characters of `speech` up to the end of its first `words` words, which white space
/// separates.
std::size_t count_characters_of_words(std::string_view speech, std::size_t words) noexcept;
/// Number of characters of `speech` that a voice has spoken if it reports the words `said`. If
/// `speech` does not begin with `said`, only the number of words counts, because voices spell
/// numbers and marks in their own way.
std::size_t count_characters_said(std::string_view speech, std::string_view said) noexcept;

/// The byte of a chunk's exact `text` that the listener reached when the first `spoken` characters
/// of the chunk's `speech` were spoken; `runs` are chunk::speech_runs. Monotonic in `spoken`: 0
/// maps to 0, and the whole speech to the whole text. The result is never inside a character or a
/// replaced word; a replaced word is heard only once all of it is spoken. Marks directly after a
/// completely spoken word are heard with the word. Words omitted from speech are heard once the
/// text after them is heard.
std::size_t map_speech_to_text_offset(std::string_view text, std::string_view speech,
                                      std::span<const speech_run> runs, std::size_t spoken);

/// Returns the end of the closing marks after `offset`, such as "!" after "Sure": a listener who
/// has heard the word has heard its marks. Returns `offset` if it is 0, or if the word continues
/// after the marks.
std::size_t skip_closing_marks(std::string_view text, std::size_t offset) noexcept;

/// Returns the last end of a word in `text` at or before `offset`; 0 if there is none. A word is a
/// run of non-space characters that are not all marks. If `offset` is inside the marks after a
/// word, that is where the word ends. In scripts without spaces between words, any character may
/// end a word.
std::size_t floor_to_word_end(std::string_view text, std::size_t offset);

}  // namespace tandem::conversations
