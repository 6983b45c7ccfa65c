#pragma once

#include "reply/machine/known_text.hpp"
#include "wire/json/token_event.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {

/// A prompt as it is sent: token ids, then text; either may be empty. Views into the continuation.
struct prompt_view {
    std::span<const wire::token_id> ids;
    std::string_view text;

    bool as_ids() const noexcept { return text.empty() && !ids.empty(); }
};

/// What the next request of a reply continues from: the prompt and all text generated so far, as
/// text and, as long as every id is known, as token ids, so that the server's cache matches to the
/// token. Pure.
///
/// The server sends no event for a token that leaves half a character; its id is lost. Such a piece
/// of text is tokenized again (lost_texts(), recovered()) and taken if count and last id agree. Ids
/// after the last text are not kept: the server may be withholding their text as the start of a
/// stop word, and would not send it again. Nor may the last text before a cut bring ids of a stop
/// word, or of the end token, along: where there are stop words it is tokenized again, too, unless
/// an event followed it.
class continuation {
 public:
    explicit continuation(known_prompt prompt = {}, bool has_stop_words = false);

    /// The answer of /tokenize for unknown_prompt().
    void prompt_tokenized(std::vector<wire::token_id> ids);
    /// A new request continues from here.
    void begin_request();
    /// One token event of the running request.
    void append(const wire::token_event& event);

    /// The running request was cut, before any event after the last text. Changes nothing where
    /// that was reported already.
    void cut();

    /// The part of the prompt whose ids are not known: all of it, or what follows the known ones.
    std::string_view unknown_prompt() const noexcept;
    bool prompt_is_unknown() const noexcept { return !prompt_known_ && ids_usable_; }
    bool has_ids() const noexcept { return !ids_.empty(); }
    bool has_known_start() const noexcept { return known_bytes_ > 0; }
    /// The text continues at a server that may number its tokens otherwise.
    void forget_ids() noexcept;
    /// Pieces of text whose ids are incomplete or not sure.
    std::vector<std::string> lost_texts() const;
    /// The ids of lost_texts(), each text's followed by `separator`; an empty list if they cannot
    /// be had.
    void recovered(std::span<const wire::token_id> ids);
    static constexpr wire::token_id separator = 0;

    /// What the next request sends. Views are valid until the next change.
    prompt_view next_prompt() const;
    /// Prompt and generated text.
    std::string_view text() const noexcept { return text_; }
    /// The same with what is known of its ids, for the prompt of another reply.
    known_text known() const;
    /// Tokens generated and kept, over all requests.
    int kept_tokens() const noexcept { return kept_before_ + synced_; }
    /// Tokens of the prompt as the server counted them; 0 before the first event.
    int prompt_tokens() const noexcept { return prompt_tokens_; }
    std::string_view prompt() const noexcept;
    std::string_view generated() const noexcept;

 private:
    // A piece of text that `count` tokens made, of which the `known` ids from `at` on came.
    struct hole {
        std::size_t at;
        std::size_t known;
        std::size_t count;
        std::string text;
    };

    void keep_span(const wire::token_event& event, std::size_t count);
    bool fits(const hole& h, std::span<const wire::token_id> ids) const;
    bool all_ids_known() const noexcept;

    std::string text_;
    std::size_t prompt_bytes_;
    std::size_t known_bytes_;  // of the prompt, whose ids came with it
    std::size_t known_ids_;
    std::vector<wire::token_id> ids_;  // of the prompt, if known, and of what was generated
    std::size_t prompt_ids_ = 0;
    bool prompt_known_ = false;
    bool ids_usable_ = true;
    int prompt_tokens_ = 0;
    std::vector<hole> holes_;
    hole last_{};              // the last text, which is among the holes if ids are missing
    bool can_be_cut_ = false;  // the last text came since the last cut, and nothing was recovered
    std::vector<known_text::anchor> pieces_;  // bytes and tokens of each text that was generated
    bool has_stop_words_;
    std::vector<wire::token_id> unsynced_;  // ids since the last text
    int kept_before_ = 0;                   // tokens kept of earlier requests
    int synced_ = 0;                        // tokens of this request up to its last text
};

}  // namespace tandem::detail
