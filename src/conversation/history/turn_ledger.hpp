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

/// How many bytes of a turn's text were generated, handed over, and heard; each number is at most
/// the one before. A turn consists of one reply, or of several successive replies if it is resumed.
/// The functions may be called in any order; a call that makes no sense has no effect.
class turn_ledger {
 public:
    turn_ledger() = default;
    explicit turn_ledger(saved_open_turn saved);
    /// Does not set `filler` and `kept_messages`.
    saved_open_turn to_saved_open_turn() const;

    /// From now on, takes only chunks of this reply. Earlier chunks can still be heard.
    void begin_reply(std::uint64_t reply) noexcept { reply_ = reply; }
    /// Adds a chunk; ignores a repeated one.
    void on_handed_over(const chunk& c);
    /// The chunk did not reach the voice. Has no effect unless this chunk is the last one.
    void retract_chunk(chunk_id id) noexcept;
    /// The model has not ended the turn: a call follows the text that was handed over.
    void expect_call() noexcept { is_complete_ = false; }
    /// The reply has ended; `unspoken` was generated, but not handed over.
    void record_unspoken_text(std::string_view unspoken);
    /// Sets the whole text of a turn that is not generated.
    void set_text(std::string text) {
        text_ = std::move(text);
        is_complete_ = true;
    }

    /// This chunk and all earlier ones were heard completely.
    void on_continued(chunk_id id);
    /// All earlier chunks were heard, and so many characters of this chunk's speech. A report that
    /// is behind an earlier one changes nothing. Returns false if the turn has no such chunk (any
    /// more, see resume()).
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

    /// Continues after the last whole word that was heard: forgets all chunks, and returns the text
    /// after that word, which the next reply must hand over. If that reply hands over other text,
    /// its text replaces the returned one. If the voice is still speaking the chunk `speaking`,
    /// continues after that chunk instead, and forgets only later chunks.
    std::string resume(std::optional<chunk_id> speaking = {});

    /// The text of an interrupted turn to keep in the history. If words are omitted, `mark` follows
    /// the kept text, from whose end white space is removed; nothing follows if no text is kept.
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
    /// End of the last completely spoken chunk that does not end inside a word. There may be no
    /// white space here.
    std::size_t spoken_ = 0;
    std::vector<part> parts_;
    std::size_t parts_heard_ = 0;
    std::optional<std::uint64_t> reply_;
};

}  // namespace tandem::conversations
