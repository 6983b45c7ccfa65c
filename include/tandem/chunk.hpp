#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace tandem {

/// Why a chunk ended.
enum class boundary {
    sentence,  ///< at the end of a sentence
    clause,    ///< at a limit, after the last clause mark
    word,      ///< at a limit, before the last word
    limit,     ///< at a limit, where the text gave no better place; or the reply comes by token
    end,       ///< the reply has no more text; the last chunk has another if that was not known yet
};

/// Its name, as in logs and JSON.
std::string_view to_string(boundary b) noexcept;

/// Names a chunk: the reply it belongs to, and its place in it from 0.
struct chunk_id {
    std::uint64_t reply = 0;  ///< reply::id(), unique in the client
    std::uint32_t seq = 0;    ///< from 0

    friend auto operator<=>(const chunk_id&, const chunk_id&) = default;
};

/// The piece of a reply that is handed to TTS. All chunks of a reply, joined, are its text to the
/// byte; each is valid UTF-8.
struct chunk {
    /// By which it is continued, and what was heard of it is told.
    chunk_id id{};
    /// May be white space only, which is not worth speaking, where a limit or a late token left
    /// nothing else. Empty only in a piece of reasoning.
    std::string text{};
    /// The text as it is to be spoken: without marks of Markdown and HTML, blocks of code, targets
    /// of links and emoji, as the fields `speech…` of the configuration say; with
    /// `speech_form::exact` the same as `text`. Valid UTF-8. Cleaned speech has no white space
    /// around it, and is empty if there is nothing to speak, for example where the whole chunk is
    /// code: continue it at once then.
    std::string speech{};
    /// Why it ended here.
    tandem::boundary boundary = tandem::boundary::end;
    /// Tokens whose text ends in this chunk.
    int tokens = 0;
    /// Only in replies that are streamed to a reader (conversation::stream()): what the model wrote
    /// for itself, as it comes, without its marks. Such a piece has no text and is no chunk in the
    /// reply's figures; it is continued like the others. Joined, they are
    /// `reply_result::reasoning`, but for what an interrupt or an error left behind.
    std::string reasoning{};

    /// URL of the server whose request finished the chunk, as it was configured. Empty if no
    /// request did: the text is left over from a reply that was interrupted, and resumed.
    std::string server{};
    /// Which of the reply's requests that was, from 0: as many events of kind `request` stand
    /// before its own in `reply_result::timeline`. -1 if no request did. Several chunks may be of
    /// one request, whose tokens and guard wait below the first of them has.
    int request = -1;
    /// Slot of that request, and whether the client used it last before, for this reply or another
    /// one.
    int slot = 0;
    bool slot_reused = false;
    /// Prompt tokens of that request which the slot still held, and those it had to evaluate.
    int cached = 0;
    int evaluated = 0;
    /// How long that request waited for its slot's guard, in ms.
    double guard_wait_ms = 0;
    /// From the continue of the chunk before to the hand-over of this one, in ms: the silence that
    /// the listener hears, but for the voice's own part. 0 for the first chunk.
    double gap_ms = 0;
};

}  // namespace tandem
