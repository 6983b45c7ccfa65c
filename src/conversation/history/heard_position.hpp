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

/// Number of characters of `speech` up to the end of this many words, separated by white space.
std::size_t count_characters_of_words(std::string_view speech, std::size_t words) noexcept;
/// Number of characters of `speech` that a voice has spoken if it reports the words `said`: the
/// length of `said` if `speech` begins with it, otherwise the length of as many words of `speech`,
/// because voices spell numbers and marks in their own way.
std::size_t count_characters_said(std::string_view speech, std::string_view said) noexcept;

/// The byte of a chunk's exact `text` that the listener reached when the first `spoken` characters
/// of the chunk's `speech` were spoken; `runs` are chunk::speech_runs. Monotonic in `spoken`: 0
/// maps to 0, and the whole speech to the whole text. Never inside a character or a replaced word;
/// a replaced word is heard only once all of it is spoken. Marks directly after a completely spoken
/// word are heard with the word. Words omitted from speech are heard once the text after them is
/// heard.
std::size_t map_speech_to_text_offset(std::string_view text, std::string_view speech,
                                      std::span<const speech_run> runs, std::size_t spoken);

/// End of the marks after `offset` that close the preceding text, as "!" closes "Sure"; a listener
/// cannot hear them separately. Returns `offset` at the start of `text`, and if a word continues
/// after the marks.
std::size_t skip_closing_marks(std::string_view text, std::size_t offset) noexcept;

/// The last word end in `text` at or before `offset`, so that no word is split; 0 if there is none.
/// A word is a run of non-space characters, at least one of which is not a mark. If `offset` is
/// inside the marks that end a word, the marks before it belong to the word. In scripts without
/// spaces between words, any character may end a word.
std::size_t floor_to_word_end(std::string_view text, std::size_t offset);

}  // namespace tandem::conversations
