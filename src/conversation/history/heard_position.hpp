#pragma once

#include "tandem/chunk.hpp"

#include <cstddef>
#include <span>
#include <string_view>

// How far a listener got, as the voice reports it and as the history needs it. All texts are valid
// UTF-8.
namespace tandem::conversations {

/// Number of characters in the share `fraction` of `speech`, rounded down. Values below 0 and NaN
/// count as 0, values above 1 as 1.
std::size_t count_heard_characters(std::string_view speech, double fraction) noexcept;

/// Number of characters of `speech` up to the end of this many words, which white space separates.
std::size_t count_characters_of_words(std::string_view speech, std::size_t words) noexcept;
/// Number of characters of `speech` of which a voice reports the words `said`: `said` itself if
/// `speech` begins with it, else as many words, because voices report numbers and marks in their
/// own spelling.
std::size_t count_characters_said(std::string_view speech, std::string_view said) noexcept;

/// The byte of a chunk's exact `text` that the listener reached when the first `spoken` characters
/// of its `speech` were spoken; `runs` are chunk::speech_runs. Monotonic in `spoken`: 0 maps to 0,
/// and the whole speech to the whole text. Never inside a character or a replaced word, which
/// counts as spoken once all of it is. Marks directly after a completely spoken word count as
/// spoken. Words omitted from speech count as spoken once the text after them is.
std::size_t map_speech_to_text_offset(std::string_view text, std::string_view speech,
                                      std::span<const speech_run> runs, std::size_t spoken);

/// End of the marks after `offset` that close the preceding text, as "!" closes "Sure"; a listener
/// cannot hear them separately. Returns `offset` at the start of `text`, and if a word continues
/// after the marks.
std::size_t skip_closing_marks(std::string_view text, std::size_t offset) noexcept;

/// The last word end in `text` at or before `offset`, so that no word is split; 0 if there is none.
/// A word is a run of non-space characters, at least one of which is not a mark. If `offset` is
/// inside the marks that end a word, the marks before it belong to the word. In scripts without
/// spaces between words, any character may end one.
std::size_t floor_to_word_end(std::string_view text, std::size_t offset);

}  // namespace tandem::conversations
