#pragma once

#include "tandem/chunk.hpp"
#include "tandem/conversation_options.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::conversations {

/// What became of one assistant turn: generated ≥ handed over ≥ heard, in bytes of its text. A turn
/// is spoken by one reply, or by several that follow each other where it is resumed. Every function
/// may be called in any order; what does not fit changes nothing.
class ledger {
 public:
    /// The chunks of this reply follow. Those of others are not taken any more; those taken before
    /// can still be heard.
    void begin_reply(std::uint64_t reply) noexcept { reply_ = reply; }
    /// Takes each chunk once, in their order.
    void handed_over(const chunk& c);
    /// The reply ended with this text read, and not handed over.
    void generated(std::string_view unspoken);

    /// That chunk, and those before it, were heard whole.
    void continued(chunk_id id);
    /// So many characters of the chunk's speech were heard, and all before the chunk. The furthest
    /// report counts. False if the turn has no such chunk, or it was taken back by resume().
    bool heard(chunk_id id, std::size_t speech_characters);
    /// The same by the share of its speech, 0 to 1. NaN and less count as 0, more as 1.
    bool heard_share(chunk_id id, double share);

    /// Bytes of text() that were generated, handed over, and heard.
    std::size_t generated() const noexcept { return text_.size(); }
    std::size_t handed_over() const noexcept { return handed_over_; }
    std::size_t heard() const noexcept { return heard_; }
    /// All visible text that was generated, in order.
    const std::string& text() const noexcept { return text_; }

    /// The listener is to hear on from the last whole word that was heard: what was handed over
    /// after it is taken back, and chunks until now are forgotten. Returns the text from there on,
    /// which another reply is to hand over. Where its chunks have other text, that replaces it.
    std::string resume();

    /// What history keeps if the turn was interrupted. Where something but white space is left out,
    /// it ends without white space; `mark` is put after it then, unless nothing is kept.
    std::string kept(history_policy policy, std::string_view mark) const;

 private:
    struct part {
        chunk_id id;
        std::size_t begin = 0;
        std::size_t end = 0;
        std::string speech;  // empty where it is the text
        bool has_speech = false;
        bool ends_word = false;
    };

    part* find(chunk_id id) noexcept;
    std::string_view speech_of(const part& p) const noexcept;
    void reach(std::size_t offset);
    void put(std::string_view next);
    std::size_t end_of_heard() const;
    std::size_t end_of(history_policy policy) const;

    std::string text_;
    std::size_t handed_over_ = 0;
    std::size_t heard_ = 0;
    /// Up to here all was spoken, and no word is cut, though none but marks may part it from the
    /// next.
    std::size_t spoken_ = 0;
    std::vector<part> parts_;
    std::size_t parts_heard_ = 0;
    std::optional<std::uint64_t> reply_;
};

}  // namespace tandem::conversations
