#pragma once

#include "reply/machine/reply_actions.hpp"
#include "reply/transcript/reply_transcript.hpp"
#include "wire/json/token_event.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::detail {

/// Gets the token ids that a reply's next request lacks, and verifies those that came from another
/// server. Pure; its actions are appended to those of the reply.
class token_id_resolver {
 public:
    /// `text` and `actions` must outlive this object.
    token_id_resolver(reply_transcript& text, std::vector<action::any_action>& actions)
        : text_(text), actions_(actions) {}

    /// The reply has a new server, which may know ids that the previous one did not.
    void on_server_found() noexcept;
    /// The server failed: nothing more is requested from it, and on another server, its ids may
    /// stand for different text.
    void on_server_lost() noexcept;
    /// The text was replaced, so all ids will be new.
    void on_text_replaced() noexcept { trust_ = trust::proven; }

    /// Requests the ids that the next request lacks. Call it while a chunk is being spoken, and not
    /// in a reply of a single request.
    void request_missing_ids();
    void on_prompt_tokenized(std::vector<wire::token_id> ids);
    /// `ids` is empty if the ids are unavailable. Returns false if no answer was awaited.
    bool on_tokens_recovered(std::span<const wire::token_id> ids);

    /// Ids from another server are sent only after this server has confirmed their text.
    void request_id_check();
    /// `text` is what the ids stand for on this server. Returns false if no answer was awaited.
    bool on_ids_checked(std::string_view text);

    /// Stops waiting for the server: drops doubtful ids, and continues without missing ones.
    void fall_back_to_text();
    /// Drops doubtful ids, because a reply that continues from here does not know which server they
    /// came from.
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
    prompt prompt_ = prompt::unasked;         // the request for the prompt's ids
    recovery recovery_ = recovery::possible;  // the request for ids that the server did not send
    trust trust_ = trust::proven;
};

}  // namespace tandem::detail
