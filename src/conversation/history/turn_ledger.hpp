#pragma once

#include "tandem/chunk.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/saved_conversation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::conversations {

/// The progress of one assistant turn: generated ≥ handed over ≥ heard, in bytes of its text. A
/// turn is spoken by one reply, or by several successive ones if it is resumed. The functions may
/// be called in any order; a call that does not fit has no effect.
class turn_ledger {
 public:
    turn_ledger() = default;
    explicit turn_ledger(saved_open_turn saved);
    /// Without `filler` and `kept_messages`.
    saved_open_turn to_saved_open_turn() const;

    /// The chunks of this reply follow. Chunks of other replies are rejected from now on; those
    /// already taken can still be heard.
    void begin_reply(std::uint64_t reply) noexcept { reply_ = reply; }
    /// Takes each chunk once, in order.
    void on_handed_over(const chunk& c);
    /// The chunk did not reach the voice. Has no effect unless this chunk is the last one.
    void retract_chunk(chunk_id id) noexcept;
    /// A call follows the text that was handed over, so the model has not ended the turn.
    void expect_call() noexcept { is_complete_ = false; }
    /// The reply ended with this text generated but not handed over.
    void record_unspoken_text(std::string_view unspoken);
    /// The whole text of the turn, which no model generates.
    void set_text(std::string text) {
        text_ = std::move(text);
        is_complete_ = true;
    }

    /// This chunk and all earlier ones were heard completely.
    void on_continued(chunk_id id);
    /// This many characters of the chunk's speech were heard, and all earlier chunks. The furthest
    /// report is kept. Returns false if the turn has no such chunk, or if resume() took it back.
    bool record_heard(chunk_id id, std::size_t speech_characters);
    /// Like record_heard(), with the share of the speech from 0 to 1. NaN and smaller values mean
    /// 0, and larger ones mean 1.
    bool record_heard_share(chunk_id id, double share);

    /// Bytes of text() that were generated, handed over, and heard.
    std::size_t generated_bytes() const noexcept { return text_.size(); }
    std::size_t handed_over_bytes() const noexcept { return handed_over_; }
    std::size_t heard_bytes() const noexcept { return heard_; }
    /// All visible generated text, in order.
    const std::string& text() const noexcept { return text_; }
    /// Whether the model has ended the text.
    bool is_complete() const noexcept { return is_complete_; }

    /// The reply of the last chunk; 0 if there is none.
    std::uint64_t newest_reply() const noexcept {
        return parts_.empty() ? 0 : parts_.back().id.reply;
    }

    /// Continues from the last whole word that was heard: takes back the text handed over after
    /// that word, and forgets all chunks so far. Returns the text after that word, which another
    /// reply must hand over. If the chunks of that reply differ, their text replaces the returned
    /// text. If the voice is still speaking the chunk `speaking`, continues after that chunk, and
    /// forgets only later chunks.
    std::string resume(std::optional<chunk_id> speaking = {});

    /// The text that history keeps of an interrupted turn. If more than white space is omitted, the
    /// kept text ends without white space, and `mark` is appended unless nothing is kept.
    std::string make_history_text(history_policy policy, std::string_view mark) const;

 private:
    struct part {
        chunk_id id;
        std::size_t begin = 0;
        std::size_t end = 0;
        std::string speech;  // empty if it equals the text
        std::vector<speech_run> runs;
        bool ends_word = false;
    };

    part* find(chunk_id id) noexcept;
    std::string resume_after(const part& p);
    std::string_view speech_of(const part& p) const noexcept;
    void advance_heard(std::size_t offset);
    void overwrite_text(std::string_view next);
    std::size_t heard_end_offset() const;
    std::size_t end_of(history_policy policy) const;

    std::string text_;
    bool is_complete_ = false;
    std::size_t handed_over_ = 0;
    std::size_t heard_ = 0;
    /// Everything up to here was spoken. This position is not inside a word, although only marks
    /// may separate the words around it.
    std::size_t spoken_ = 0;
    std::vector<part> parts_;
    std::size_t parts_heard_ = 0;
    std::optional<std::uint64_t> reply_;
};

}  // namespace tandem::conversations
