#pragma once

#include "base/time.hpp"
#include "conversation/history/context_trimming.hpp"
#include "conversation/history/turn_ledger.hpp"

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
    none,     ///< no turn yet
    running,  ///< a reply is being generated or spoken
    ended,    ///< reports of heard text still take effect
    settled,  ///< the kept part is a message like any other
};

/// The result of a call whose turn continued without a result.
inline constexpr std::string_view no_result = "No result: interrupted.";
/// Maximum number of calls for which a late result is expected. Later calls replace earlier ones.
inline constexpr std::size_t max_late_calls = 128;

/// The history of a conversation: the system prompt, the exchanges, and the running or last turn
/// with its ledger. The turn is settled when the next message or turn arrives, or `resume_grace`
/// after an interrupt; the kept part does not change afterwards. Pure: functions that depend on the
/// time receive the time. A call that does not fit the state has no effect.
class turn_history {
 public:
    /// Options and texts must be checked beforehand.
    explicit turn_history(conversation_options options = {});
    /// An open turn is treated as if it had been interrupted at `now`.
    explicit turn_history(saved_conversation saved, time_point now = {});

    // Messages and turns

    /// Appends a message of the user, a tool, the system, or the assistant outside a turn. Returns
    /// false and appends nothing while a turn runs: end or interrupt it first. The same holds for a
    /// second result of a call, because templates reject it.
    bool append(chat_message m);
    /// The text of the last message, which must not be a system message.
    const std::string& last_text() const { return exchanges_.back().messages.back().content; }
    void replace_last_text(std::string text) {
        exchanges_.back().messages.back().content = std::move(text);
    }
    /// Starts the assistant's turn. Returns false if a turn is already running.
    bool begin_turn();
    /// Sets the text of the running turn. This text does not continue the message before it.
    void set_given_text(std::string text) {
        is_given_ = true;
        turn_.set_text(std::move(text));
    }
    /// The reply of the running turn calls these functions. Each call is kept whole with its
    /// result, even if the turn is interrupted.
    void record_calls(std::vector<tool_call> calls);
    /// Adds the result of a call of the running or last turn, or replaces a result that is not
    /// final. Returns false if that turn has no such call, or if the call's result is already
    /// final. When the turn is settled, each call without a result gets one that reports the
    /// interruption, because templates reject a call without a result.
    bool answer_call(std::string_view id, const std::string& content, bool is_final = true);
    /// The final result of a call of an earlier turn, as a message of the user, because
    /// templates reject a tool's message without its call. nullopt if no such call lacks a final
    /// result.
    std::optional<chat_message> make_late_result_message(std::string_view id,
                                                         std::string_view content);
    /// The same for a message of role "tool".
    bool record_tool_result(const chat_message& m) {
        return m.role == "tool" && answer_call(m.tool_call_id, m.content);
    }
    /// Adds words that were spoken before those of the running or last turn.
    void add_filler(const std::string& text);
    /// Gives new ids to calls whose id is empty or used by an earlier call: a late result must not
    /// answer the wrong call. The ids have nine letters and digits, as some templates require.
    void make_ids_unique(std::vector<tool_call>& calls) const;
    /// Number of calls of the running or last turn without a result. In the messages below, these
    /// calls have the result no_result.
    std::size_t open_calls() const noexcept {
        return is_open() ? calls_.size() - results_.size() : 0;
    }
    /// The last reply of the running turn ended.
    void on_turn_ended(time_point now, finish_reason why);
    /// The listener interrupted the turn: the running turn, or the last chunks of an ended turn
    /// that is not settled. Returns false if there is no such turn, or if it was already
    /// interrupted.
    bool on_interrupted(time_point now);
    /// Whether an interrupted turn can continue.
    bool can_resume(time_point now) const noexcept;
    /// Whether the model has ended the turn's text.
    bool is_turn_complete() const noexcept { return turn_.is_complete(); }
    /// The newest reply whose chunks can still be heard; 0 if there is none.
    std::uint64_t newest_reply() const noexcept { return turn_.newest_reply(); }
    /// Resumes the turn. Returns the text, possibly empty, that a reply must hand over first: the
    /// text after the last whole word that was heard, or after the chunk that the voice is still
    /// speaking. Returns nullopt if the turn cannot be resumed.
    std::optional<std::string> resume(time_point now, std::optional<chunk_id> speaking = {});
    turn_state state(time_point now) const noexcept;

    // Progress of the turn; see turn_ledger. Chunks are accepted while the turn runs; the other
    // reports are accepted until the turn is settled.

    void begin_reply(std::uint64_t reply) noexcept;
    void on_handed_over(const chunk& c);
    /// The chunk handed over last did not reach the voice.
    void retract_chunk(chunk_id id) noexcept { turn_.retract_chunk(id); }
    void expect_call() noexcept { turn_.expect_call(); }
    void record_unspoken_text(time_point now, std::string_view unspoken);
    void on_continued(time_point now, chunk_id id);
    bool record_heard(time_point now, chunk_id id, std::size_t speech_characters);
    bool record_heard_share(time_point now, chunk_id id, double share);
    saved_turn last_turn() const noexcept;
    /// The text of the running turn that was handed over.
    std::string_view spoken() const noexcept {
        return std::string_view(turn_.text()).substr(0, turn_.handed_over_bytes());
    }

    // Contents of the next prompt

    /// All messages, including the kept part of the turn in its current state, or all generated
    /// text of a running turn. Consecutive messages are joined, because the templates of some
    /// models reject two from the same role in a row. The user's messages are joined by a line
    /// break. The assistant's are joined directly, because generated text continues the text before
    /// it, but with a space after a sentence.
    std::vector<chat_message> messages() const;
    /// The messages before the running or last turn, joined in the same way.
    std::vector<chat_message> messages_before_turn() const;
    /// The messages as they were appended.
    std::vector<chat_message> transcript() const;
    /// The state to save. A running turn is saved as if it were interrupted now and
    /// `said_meanwhile` were then appended; the turn itself continues. Without `said_meanwhile`, a
    /// turn that called no functions can be resumed later.
    saved_conversation saved(std::span<const chat_message> said_meanwhile = {}) const;

    // Use of the context

    /// Reports the token count of the prompt of the turn that begins or is about to begin. The
    /// difference from the previous measurement is the cost of the previous exchange.
    void record_prompt_tokens(int tokens);
    /// Later counts come from another model.
    void reset_prompt_measurements() noexcept { prompt_at_last_ = prompt_at_previous_ = -1; }
    /// Costs of the exchanges, oldest first; the last one is being answered.
    std::vector<exchange_size> measure_exchanges() const;
    std::size_t system_bytes() const noexcept;
    /// Average length of a user message; 0 if there is none yet.
    std::size_t average_user_bytes() const noexcept;
    /// Drops the oldest exchanges, but never the last. Returns the number dropped.
    std::size_t drop_oldest(std::size_t count);
    std::size_t dropped_bytes() const noexcept { return dropped_bytes_; }

    const conversation_options& options() const noexcept { return options_; }

 private:
    enum class turn_end { complete, interrupted, failed };

    bool is_over(time_point now) const noexcept;
    bool is_open() const noexcept;
    bool is_cut_short() const noexcept;
    saved_open_turn make_saved_open_turn() const;
    void interrupt_running() noexcept;
    void move_turn_to_history();
    void settle_if_over(time_point now);
    std::string make_kept_text() const;
    std::string separate_from_last_words(std::string text) const;
    std::vector<chat_message> make_turn_messages() const;
    std::vector<chat_message> settled_transcript() const;
    void append_message(chat_message m);
    bool is_awaiting_tool_result() const;
    bool is_repeated_result(const chat_message& m) const;
    void begin_exchange();
    const chat_message* find_result(std::string_view id) const noexcept;
    void expect_late_result(tool_call call);
    std::optional<tool_call> take_late_call(std::string_view id);
    bool is_unanswered() const noexcept;

    conversation_options options_;  // excluding the messages
    std::vector<chat_message> system_;
    std::vector<saved_exchange> exchanges_;
    std::size_t dropped_bytes_ = 0;

    turn_state state_ = turn_state::none;
    turn_end end_ = turn_end::complete;
    time_point interrupted_at_{};
    bool is_resumed_ = false;
    bool is_given_ = false;
    turn_ledger turn_;
    std::string filler_;
    std::vector<tool_call> calls_;       // of the turn
    std::vector<chat_message> results_;  // of these calls, so far
    std::vector<tool_call> late_calls_;  // without a final result
    saved_turn settled_turn_;

    // Prompt tokens before the last exchange, and before the previous one; -1 = unknown.
    int prompt_at_last_ = -1;
    int prompt_at_previous_ = -1;
};

}  // namespace tandem::conversations
