#pragma once

#include <cstddef>
#include <string_view>

// How far a listener got, as the voice reports it and as history needs it. All texts are valid
// UTF-8.
namespace tandem::conversations {

/// How many characters of `speech` the share `fraction` of it is, rounded down. Less than 0 and
/// NaN count as 0, more than 1 as 1.
std::size_t speech_characters(std::string_view speech, double fraction) noexcept;

/// Which byte of a chunk's exact `text` the listener got to, once the first `spoken` characters of
/// the `speech` that was made of it were spoken. It grows with `spoken`; 0 is 0, and all of the
/// speech is all of the text. Never inside a character. Marks right after a word that was spoken
/// whole count as spoken; words that speech leaves out, once what follows them is.
std::size_t text_offset(std::string_view text, std::string_view speech, std::size_t spoken);

/// Where the marks end that close what stands before `offset`, as "!" closes "Sure": nobody hears
/// them apart from it. `offset` itself at the start of `text`, and where a word continues after
/// them.
std::size_t behind_marks(std::string_view text, std::size_t offset) noexcept;

/// The largest end of a word in `text` up to `offset`, so that no word is cut; 0 if there is none.
/// A word is a run of characters other than white space of which one is no mark. Where `offset` is
/// inside the marks that end a word, so many of them belong to it. In scripts that put no space
/// between words each character may end one.
std::size_t whole_words(std::string_view text, std::size_t offset);

}  // namespace tandem::conversations
