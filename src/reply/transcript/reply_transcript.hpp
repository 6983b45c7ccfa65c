#pragma once

#include "reply/transcript/tokenized_text.hpp"
#include "wire/json/token_event.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {

/// A prompt as it is sent: token ids followed by text; either may be empty. A view of the
/// reply_transcript that made it.
struct prompt_view {
    std::span<const wire::token_id> ids;
    std::string_view text;

    bool as_ids() const noexcept { return text.empty() && !ids.empty(); }
};

/// The prompt and all text generated so far, from which the next request of a reply continues. They
/// are kept as text and, as long as every id is known, also as token ids, so that the server's
/// cache matches exactly. Pure.
///
/// The server sends no event for a token that ends inside a character, so the id of this token is
/// lost. The affected piece of text is tokenized again (texts_with_missing_ids(),
/// set_recovered_ids()), and the ids are accepted if their count and the last id agree. Ids after
/// the last text are not kept: the server may be withholding their text as the start of a stop
/// word, and would not send it again. The ids of the last text before a cut may include those of a
/// stop word or of the end token. Therefore, if there are stop words, this text is tokenized again,
/// too, unless an event followed it.
class reply_transcript {
 public:
    explicit reply_transcript(prompt_with_ids prompt = {}, bool has_stop_words = false);

    /// Handles the answer of /tokenize for untokenized_prompt().
    void on_prompt_tokenized(std::vector<wire::token_id> ids);
    /// Starts a new request that continues from here.
    void begin_request();
    /// Adds one token event of the running request.
    void append(const wire::token_event& event);

    /// The running request was cut before any event followed the last text. Has no effect if that
    /// was already reported.
    void record_cut();

    /// Appends a mark that the model did not generate. Its ids are unknown until
    /// set_recovered_ids().
    void append_mark(std::string_view mark);

    /// The part of the prompt with unknown ids: all of it, or the text after the known ids.
    std::string_view untokenized_prompt() const noexcept;
    bool needs_prompt_ids() const noexcept { return !prompt_known_ && ids_usable_; }
    bool has_ids() const noexcept { return !ids_.empty(); }
    bool has_known_prefix() const noexcept { return known_bytes_ > 0; }
    /// Drops the ids, because the text continues on a server that may use another vocabulary.
    void forget_ids() noexcept;
    /// Pieces of text with incomplete or uncertain ids.
    std::vector<std::string> texts_with_missing_ids() const;
    /// Whether one of these pieces is a mark, which may be a special token.
    bool is_missing_mark() const noexcept;
    /// `ids` are those of texts_with_missing_ids(), with `separator` after the ids of each text;
    /// empty if they are unavailable.
    void set_recovered_ids(std::span<const wire::token_id> ids);
    static constexpr wire::token_id separator = 0;

    /// The prompt of the next request. The views are valid until the next change.
    prompt_view next_prompt() const;
    /// Prompt and generated text.
    std::string_view text() const noexcept { return text_; }
    /// The text with its known ids, for the prompt of another reply.
    tokenized_text to_tokenized_text() const;
    /// Tokens generated and kept across all requests.
    int kept_tokens() const noexcept { return kept_before_ + synced_; }
    /// Tokens of the prompt as counted by the server; 0 before the first event.
    int prompt_tokens() const noexcept { return prompt_tokens_; }
    std::string_view prompt() const noexcept;
    std::string_view generated() const noexcept;

 private:
    // A piece of text of `count` tokens, of which only the `known` ids starting at `at` were
    // received. For a mark, neither the count nor any id is known, and `piece` is its index in
    // `pieces_`.
    struct missing_ids {
        std::size_t at;
        std::size_t known;
        std::size_t count;
        std::string text;
        std::size_t piece = 0;

        bool is_mark() const noexcept { return count == 0; }
    };

    void store_token_ids(const wire::token_event& event, std::size_t count);
    static std::size_t count_ids_of_piece(const missing_ids& h,
                                          std::span<const wire::token_id> ids);
    bool matches_piece(const missing_ids& h, std::span<const wire::token_id> ids,
                       std::size_t count) const;
    bool all_ids_known() const noexcept;

    std::string text_;
    std::size_t prompt_bytes_;
    std::size_t known_bytes_;  // bytes of the prompt covered by the ids supplied with it
    std::size_t known_ids_;
    std::vector<wire::token_id> ids_;  // ids of the prompt, if known, and of the generated text
    std::size_t prompt_ids_ = 0;
    bool prompt_known_ = false;
    bool ids_usable_ = true;
    int prompt_tokens_ = 0;
    std::vector<missing_ids> holes_;
    missing_ids last_{};       // the last text, also in `holes_` if ids are missing
    bool can_be_cut_ = false;  // the last text arrived after the last cut and recovery
    std::vector<tokenized_text::token_boundary> pieces_;  // bytes and tokens of each piece
    bool has_stop_words_;
    std::vector<wire::token_id> unsynced_;  // ids since the last text
    int kept_before_ = 0;                   // tokens kept from earlier requests
    int synced_ = 0;                        // tokens of this request up to its last text
};

}  // namespace tandem::detail
