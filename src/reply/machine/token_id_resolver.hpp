#pragma once

#include "reply/machine/reply_actions.hpp"
#include "reply/transcript/reply_transcript.hpp"
#include "wire/json/token_event.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::detail {

/// Gets the token ids that a reply's next request lacks, and verifies those of another server.
/// Pure; its actions are appended to those of the reply.
class token_id_resolver {
 public:
    /// Both must outlive this object.
    token_id_resolver(reply_transcript& text, std::vector<action::any_action>& actions)
        : text_(text), actions_(actions) {}

    /// The next requests go to another server, which may know ids that the previous one did not.
    void on_server_found() noexcept;
    /// The server failed: it is asked nothing more, and its ids may stand for other text
    /// elsewhere.
    void on_server_lost() noexcept;
    /// The text is new, and so are all ids to come.
    void on_text_replaced() noexcept { trust_ = trust::proven; }

    /// Requests what is missing while the chunk is being spoken. A single-request reply never does
    /// this.
    void request_missing_ids();
    void on_prompt_tokenized(std::vector<wire::token_id> ids);
    /// `ids` is empty if the ids are unavailable. Returns false if nothing was asked.
    bool on_tokens_recovered(std::span<const wire::token_id> ids);

    /// Ids from another server are sent only after this server has confirmed their text.
    void request_id_check();
    /// `text` is what the ids stand for on this server. Returns false if nothing was asked.
    bool on_ids_checked(std::string_view text);

    /// Continues without the ids that were not answered or are in doubt.
    void fall_back_to_text();
    /// A reply that continues from here does not know which server the ids came from.
    void forget_doubtful_ids() noexcept {
        if (are_ids_doubtful()) text_.forget_ids();
    }

    bool is_waiting() const noexcept {
        return prompt_ == prompt::asked || recovery_ == recovery::asked || trust_ == trust::asked;
    }
    bool are_ids_doubtful() const noexcept { return trust_ != trust::proven; }

 private:
    enum class prompt { unasked, asked, done };
    enum class recovery { possible, asked, impossible };
    enum class trust { proven, doubtful, asked };

    void stop_waiting() noexcept;

    reply_transcript& text_;
    std::vector<action::any_action>& actions_;
    prompt prompt_ = prompt::unasked;         // to /tokenize
    recovery recovery_ = recovery::possible;  // of ids that the server sent no event for
    trust trust_ = trust::proven;
};

}  // namespace tandem::detail
