#pragma once

#include "tandem/chunk.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tandem::text {

/// Speech with its map to the text.
struct mapped_speech {
    std::string speech{};
    /// Covers all of the speech and all of the text.
    std::vector<speech_run> runs{};
};

/// Builds the runs of a speech from its start to its end. Lengths are in bytes.
class speech_run_builder {
 public:
    /// The next bytes of the text are spoken as they are.
    void copy(std::size_t bytes);
    /// The next bytes of the text are not spoken.
    void omit(std::size_t bytes);
    /// The next `text` bytes of the text are spoken as `speech` different bytes. Either may be 0.
    void replace(std::size_t speech, std::size_t text);
    /// Removes the last bytes of the speech: their text is not spoken after all. Precondition: the
    /// bytes do not begin inside a replacement of text.
    void drop_last_speech(std::size_t speech);

    std::vector<speech_run> take() noexcept;

 private:
    void add(std::size_t speech, std::size_t text);

    std::vector<speech_run> runs_;
};

/// Replaces the bytes from `begin` to `end` of a speech.
struct speech_edit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string words{};
};

/// Applies the edits, which must be in order and must not overlap.
mapped_speech edit_speech(const mapped_speech& from, std::span<const speech_edit> edits);

/// The place in the text that corresponds to a position in the speech, in bytes.
struct text_place {
    std::size_t before = 0;  ///< end of the text that the last spoken byte stands for
    std::size_t after = 0;   ///< start of the text that the next byte stands for
};

/// A replaced part is spoken only as a whole: a position inside it maps to its start. Precondition:
/// `spoken` is at most the length of the speech.
text_place find_text_place(std::span<const speech_run> runs, std::size_t spoken) noexcept;

/// Bytes of the speech before the byte `offset` of the text.
std::size_t find_speech_offset(std::span<const speech_run> runs, std::size_t offset) noexcept;

}  // namespace tandem::text
