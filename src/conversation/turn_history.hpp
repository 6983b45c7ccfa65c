#pragma once

#include "base/time.hpp"
#include "conversation/context_care.hpp"
#include "conversation/ledger.hpp"

#include "tandem/chunk.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/result.hpp"
#include "tandem/saved_conversation.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::conversations {

enum class turn_state {
    none,     ///< there was no turn yet
    running,  ///< a reply is being generated or spoken
    ended,    ///< reports of what was heard still count
    settled,  ///< what is kept of it is a message like any other
};

/// The history of one conversation: the system prompt, exchanges, and the turn that runs or was
/// last, with its ledger. It is settled when the next message or turn comes, or `resume_grace`
/// after an interrupt; nothing changes what is kept of it after that. Pure: a call that depends on
/// the time receives it. What does not fit the state changes nothing.
class turn_history {
 public:
    /// Options and texts must have been checked.
    explicit turn_history(conversation_options options = {});
    explicit turn_history(saved_conversation saved);

    // Messages and turns

    /// What somebody said: of the user, a tool, the system, or the assistant where it was no turn.
    /// False, and not taken, while a turn runs: end or interrupt it first.
    bool append(chat_message m);
    /// The assistant's turn begins. False if one runs already.
    bool begin_turn();
    /// The last reply of the running turn ended. Calls of tools that it asks for are a message of
    /// their own, by append().
    void turn_ended(time_point now, finish_reason why);
    /// The listener talks over the turn: the running one, or the last chunks of one that ended and
    /// is not settled. False if there is none, or it was interrupted before.
    bool interrupted(time_point now);
    /// Whether an interrupted turn can continue.
    bool can_resume(time_point now) const noexcept;
    /// It continues: returns the text that a reply is to hand over first, from the last whole word
    /// that was heard on. It may be empty. Nothing if it cannot continue.
    std::optional<std::string> resume(time_point now);
    turn_state state(time_point now) const noexcept;

    // What becomes of the turn; see ledger. Chunks count while it runs, the others until it is
    // settled.

    void begin_reply(std::uint64_t reply) noexcept;
    void handed_over(const chunk& c);
    void generated(time_point now, std::string_view unspoken);
    void continued(time_point now, chunk_id id);
    bool heard(time_point now, chunk_id id, std::size_t speech_characters);
    bool heard_share(time_point now, chunk_id id, double share);
    /// Of the turn that runs or was last.
    saved_turn last_turn() const noexcept;
    /// The text of the running turn that was handed over.
    std::string_view spoken() const noexcept {
        return std::string_view(turn_.text()).substr(0, turn_.handed_over());
    }

    // What the next prompt is made of

    /// All messages, with what is kept of the turn as it stands now; of a running turn, all that
    /// was generated. Messages of the user that follow each other are joined by a line break, and
    /// those of the assistant without one, as the second continues with the first: the templates of
    /// some models refuse two in a row.
    std::vector<chat_message> messages() const;
    /// The same as they came.
    std::vector<chat_message> transcript() const;
    /// A running turn is saved as if it were interrupted now, and what was said meanwhile were
    /// appended then; it runs on.
    saved_conversation saved(std::span<const chat_message> said_meanwhile = {}) const;

    // What it takes of the context

    /// The prompt of the turn that begins, or is about to, has so many tokens. What the exchange
    /// before costs is the difference to the measurement before.
    void prompt_measured(int tokens);
    /// What comes is counted by another model.
    void forget_measurements() noexcept { prompt_at_last_ = prompt_at_previous_ = -1; }
    /// Of each exchange, from the oldest on; the last one is being answered.
    std::vector<exchange_cost> costs() const;
    std::size_t system_bytes() const noexcept;
    /// How much the user says at a time; 0 if nothing was said yet.
    std::size_t average_user_bytes() const noexcept;
    /// Drops the oldest exchanges, but never the last. Returns how many.
    std::size_t drop_oldest(std::size_t count);

    const conversation_options& options() const noexcept { return options_; }

 private:
    enum class turn_end { complete, interrupted, failed };

    bool is_over(time_point now) const noexcept;
    bool is_open() const noexcept;
    void interrupt_running() noexcept;
    void settle();
    void settle_if_over(time_point now);
    std::string kept() const;
    std::optional<chat_message> turn_message() const;
    void add(chat_message m);
    bool awaits_tool() const;
    void begin_exchange();
    bool is_unanswered() const noexcept;

    conversation_options options_;  // without its messages
    std::vector<chat_message> system_;
    std::vector<saved_exchange> exchanges_;

    turn_state state_ = turn_state::none;
    turn_end end_ = turn_end::complete;
    time_point interrupted_at_{};
    bool is_resumed_ = false;
    ledger turn_;
    saved_turn settled_turn_;

    // The prompt at the start of the last exchange and of the one before; -1 = not known.
    int prompt_at_last_ = -1;
    int prompt_at_previous_ = -1;
};

}  // namespace tandem::conversations
