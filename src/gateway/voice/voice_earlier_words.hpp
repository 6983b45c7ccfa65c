#pragma once

#include "conversation/history/heard_position.hpp"
#include "gateway/voice/client_chunk_id.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::gateway {

/// The unheard words of replies that called functions, while the reply to the results is generated.
/// History no longer changes these words, so the library cannot resume them. Pure.
class voice_earlier_words {
 public:
    /// Adds a chunk, and keeps the newest `max_chunks`. `is_spaced`: whether the reply's text has a
    /// space before the chunk.
    void add(client_chunk_id id, std::string speech, bool is_spaced = false) {
        if (chunks_.size() == max_chunks) chunks_.erase(chunks_.begin());
        const bool is_apart = chunks_.empty() || chunks_.back().id.reply != id.reply;
        chunks_.push_back({id, std::move(speech), is_spaced || is_apart});
    }
    void clear() noexcept { chunks_.clear(); }
    /// This chunk and all earlier ones need not be sent again: they were heard, or are being
    /// spoken.
    void on_heard_whole(const client_chunk_id& id) {
        std::erase_if(chunks_, [&](const part& p) { return p.id <= id; });
    }
    /// All earlier chunks and this many characters of this chunk were heard.
    void on_heard(const client_chunk_id& id, std::size_t characters) {
        std::erase_if(chunks_, [&](const part& p) { return p.id < id; });
        if (!find(id)) return;
        auto& p = chunks_.front();
        const auto here =
            conversations::map_speech_to_text_offset(p.speech, p.speech, {}, characters);
        p.heard = std::max(p.heard, conversations::skip_closing_marks(p.speech, here));
    }
    /// Returns the speech of the chunk; nullptr if the chunk is not here.
    const std::string* find(const client_chunk_id& id) const {
        const auto found = std::ranges::find(chunks_, id, &part::id);
        return found == chunks_.end() ? nullptr : &found->speech;
    }
    /// The words to speak again: the text after the last whole word that was heard.
    std::string text() const {
        std::string all;
        for (const auto& p : chunks_) {
            const std::string_view speech = p.speech;
            const auto from = conversations::floor_to_word_end(speech, p.heard);
            const auto rest = text::trim_white_space(speech.substr(from));
            all = p.is_spaced ? text::join_with_space(all, rest) : all.append(rest);
        }
        return all;
    }

 private:
    // The replies of a turn send fewer chunks ahead, because `lookahead` is at most 8.
    static constexpr std::size_t max_chunks = 64;

    struct part {
        client_chunk_id id;
        std::string speech;
        bool is_spaced;
        std::size_t heard = 0;  // bytes
    };

    std::vector<part> chunks_;
};

}  // namespace tandem::gateway
