#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {
inline namespace v0 {

/// Why a chunk ended. A limit is a maximum length or `chunking_config::chunk_deadline`.
enum class boundary {
    sentence,  ///< at the end of a sentence
    clause,    ///< at a limit, after the last clause mark
    word,      ///< at a limit, before the last word
    limit,     ///< at a limit, in text without a better place; or after a token of a streamed reply
    end,       ///< after all text; a last chunk that ended before this was known has another value
};

/// The name of the value, as in logs and JSON.
std::string_view to_string(boundary b) noexcept;

/// Identifies a chunk by its reply and its position in that reply.
struct chunk_id {
    std::uint64_t reply = 0;  ///< reply::id(), unique within the client
    std::uint32_t seq = 0;    ///< from 0

    friend auto operator<=>(const chunk_id&, const chunk_id&) = default;
};

/// How a chunk was made, for logs and displays. "The request" is the one that completed the chunk.
struct chunk_metrics {
    /// Configured URL of the request's server. Empty if no request completed the chunk, because its
    /// text is left over from an interrupted reply that was resumed.
    std::string server{};
    /// Index of the request, from 0, among the events of kind `request` in
    /// `reply_result::timeline`; -1 if no request completed the chunk. If the request completed
    /// several chunks, only the first of them reports its tokens and guard wait below, so that sums
    /// over chunks are correct.
    int request = -1;
    /// Slot of the request, and whether the client's previous request used the same slot.
    int slot = 0;
    bool slot_reused = false;
    /// Cached and evaluated prompt tokens of the request.
    int cached = 0;
    int evaluated = 0;
    /// How long the request waited for its slot's guard, in ms.
    double guard_wait_ms = 0;
    /// Time from the continue of the previous chunk to the delivery of this one, in ms: the silence
    /// that the listener hears, without the voice's own delay. 0 for the first chunk.
    double gap_ms = 0;
};

/// A part of a chunk's speech and the text that it stands for, as lengths in bytes. Parts of equal
/// length have equal bytes. If the lengths differ, the speech replaces the text: text without
/// speech is not spoken, and a replaced word counts as heard either whole or not at all.
struct speech_run {
    std::uint32_t speech = 0;
    std::uint32_t text = 0;

    friend bool operator==(const speech_run&, const speech_run&) = default;
};

/// A mark for the voice that was removed from the speech.
struct speech_mark {
    /// Position: the number of Unicode code points of the speech before the mark.
    std::size_t at = 0;
    /// The tag, as in `speech_config::mark_tags`. The tag of a closing mark starts with a slash:
    /// `/whisper`.
    std::string tag{};
    /// The rest of the mark, often empty: `value="angry"` for `<emotion value="angry"/>`, "happy"
    /// for `[emotion: happy]`.
    std::string label{};

    friend bool operator==(const speech_mark&, const speech_mark&) = default;
};

/// A piece of a reply that goes to TTS. Joined, the chunks of a reply are its text byte for byte;
/// each chunk is valid UTF-8.
struct chunk {
    /// Names the chunk in continue_after() and heard().
    chunk_id id{};
    /// May be only white space if the chunk ends at a limit or before a late token. Empty only in
    /// pieces of a streamed reply that contain reasoning, a call or a progress report.
    std::string text{};
    /// The text to speak; valid UTF-8. The fields of `speech_config` select what clean speech
    /// omits, such as Markdown and HTML marks, code blocks, link targets and emoji. With
    /// `speech_form::exact`, it is the same as `text`, except for replaced words and dropped marks.
    /// Clean speech has no surrounding white space. It is empty if there is nothing to speak, for
    /// example in a chunk of code; such a chunk, too, must be continued after the chunks before it.
    std::string speech{};
    /// The parts of the speech with the text of each, from start to end. Empty if `speech` equals
    /// `text`.
    std::vector<speech_run> speech_runs{};
    /// The marks for the voice, if `speech_config::marks` is `report`.
    std::vector<speech_mark> marks{};
    /// The language whose rules ended the chunk: `chunking_config::language` or, if that is empty,
    /// the language that the script of the text suggests. Empty with `boundary_rule::classic`, and
    /// in a piece of reasoning.
    std::string language{};
    /// Why the chunk ended here.
    tandem::boundary boundary = tandem::boundary::end;
    /// Whether the chunk is handed over while an earlier one is being spoken; see
    /// generation_options::lookahead.
    bool early = false;
    /// Number of tokens whose text ends in this chunk.
    int tokens = 0;
    /// Only in streamed replies (conversation::stream()): the model's reasoning as it arrives,
    /// without its marks. Such a piece has no text, and the reply's metrics do not count it as a
    /// chunk; continue it like any other piece. Joined, the pieces are `reply_result::reasoning`,
    /// except for reasoning that was not delivered because of an interrupt or an error.
    std::string reasoning{};
    /// Only in streamed replies that must call a function (`generation_options::tool_choice`): the
    /// function's name, and its JSON arguments as they arrive. Such a piece has no text either. If
    /// the reply fails afterwards, ignore the call.
    std::string called{};
    std::string arguments{};
    /// How the chunk was made; a voice does not need this.
    chunk_metrics metrics{};
};

}  // namespace v0
}  // namespace tandem
