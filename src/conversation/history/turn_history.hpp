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
    settled,  ///< the kept part is among the messages, and final
};

/// Stands in for the result of a call that has none.
inline constexpr std::string_view no_result = "No result: interrupted.";
/// Maximum number of calls whose late results are expected. The oldest calls are forgotten first.
inline constexpr std::size_t max_late_calls = 128;

/// The history of a conversation: the system prompt, the exchanges, and the running or last turn
/// with its ledger. The turn is settled when the next message or turn arrives, or `resume_grace`
/// after an interrupt; afterwards, it does not change. Pure: functions that depend on the time
/// receive it. A function call that does not fit the state of the turn has no effect.
class turn_history {
 public:
    /// The caller must have checked the options and texts.
    explicit turn_history(conversation_options options = {});
    /// An open turn is treated as if it had been interrupted at `now`.
    explicit turn_history(saved_conversation saved, time_point now = {});

    // Messages and turns

    /// Appends a message from outside a turn. Appends nothing and returns false while a turn runs,
    /// or if the message is a second result of a call, which templates reject.
    bool append(chat_message m);
    /// The text of the last message, which must not be a system message.
    const std::string& last_text() const { return exchanges_.back().messages.back().content; }
    void replace_last_text(std::string text) {
        exchanges_.back().messages.back().content = std::move(text);
    }
    /// Starts the assistant's turn. Returns false if a turn is already running.
    bool begin_turn();
    /// Sets the text of the running turn. In messages(), a space separates it from words before it.
    void set_given_text(std::string text) {
        is_given_ = true;
        turn_.set_text(std::move(text));
    }
    /// Adds the function calls of the running turn. An interrupt does not remove or shorten a call
    /// or its result.
    void record_calls(std::vector<tool_call> calls);
    /// Adds the result of a call of the running or last turn, or replaces a result that is not
    /// final. Returns false if the turn has no such call, or if the call already has a final
    /// result. When the turn is settled, each call without a result gets one that reports the
    /// interruption, because templates reject a call without a result.
    bool answer_call(std::string_view id, const std::string& content, bool is_final = true);
    /// Makes a user message of the final result of an earlier turn's call, because templates reject
    /// a tool message that does not follow its call. Returns nullopt if no result of such a call is
    /// expected.
    std::optional<chat_message> make_late_result_message(std::string_view id,
                                                         std::string_view content);
    /// Like answer_call(), if the message is from a tool.
    bool record_tool_result(const chat_message& m) {
        return m.role == "tool" && answer_call(m.tool_call_id, m.content);
    }
    /// Adds words that were spoken before the text of the running or last turn.
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
    /// Resumes the turn. Returns the text that the next reply must hand over first; it may be
    /// empty. This text begins after the last whole word that was heard, or after the chunk
    /// `speaking`, which the voice is still speaking. Returns nullopt if the turn cannot be
    /// resumed.
    std::optional<std::string> resume(time_point now, std::optional<chunk_id> speaking = {});
    turn_state state(time_point now) const noexcept;

    // Progress of the turn; see turn_ledger. Chunks are accepted while the turn runs; the other
    // reports are accepted until the turn is settled.

    void begin_reply(std::uint64_t reply) noexcept;
    void on_handed_over(const chunk& c);
    /// The last chunk that was handed over did not reach the voice.
    void retract_chunk(chunk_id id) noexcept { turn_.retract_chunk(id); }
    void expect_call() noexcept { turn_.expect_call(); }
    void record_unspoken_text(time_point now, std::string_view unspoken);
    void on_continued(time_point now, chunk_id id);
    bool record_heard(time_point now, chunk_id id, std::size_t speech_characters);
    bool record_heard_share(time_point now, chunk_id id, double share);
    saved_turn last_turn() const noexcept;
    /// The part of the running turn's text that was handed over.
    std::string_view spoken() const noexcept {
        return std::string_view(turn_.text()).substr(0, turn_.handed_over_bytes());
    }

    // Contents of the next prompt

    /// All messages, including the last turn as far as it is kept, or the running turn with all
    /// generated text. Joins consecutive messages of one role, because some templates reject them:
    /// the user's with a line break, the assistant's without a gap, because generated text may
    /// continue a word, but with a space after a sentence.
    std::vector<chat_message> messages() const;
    /// The messages before the running or last turn, joined as in messages().
    std::vector<chat_message> messages_before_turn() const;
    /// Like messages(), but without joining.
    std::vector<chat_message> transcript() const;
    /// The state to save. A running turn is saved as if it were interrupted now and
    /// `said_meanwhile` were then appended; the turn itself continues. Without `said_meanwhile`, a
    /// turn that called no functions can be resumed later.
    saved_conversation saved(std::span<const chat_message> said_meanwhile = {}) const;

    // Use of the context

    /// Records the number of tokens in the prompt of the current or next turn. Its difference from
    /// the previous number is the size of the previous exchange.
    void record_prompt_tokens(int tokens);
    /// Call it when the model changes, because its counts cannot be compared with the earlier ones.
    void reset_prompt_measurements() noexcept { prompt_at_last_ = prompt_at_previous_ = -1; }
    /// Sizes of the exchanges, oldest first. The last one includes the turn.
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
    std::vector<chat_message> results_;  // of these calls
    std::vector<tool_call> late_calls_;  // of earlier turns, without a final result
    saved_turn settled_turn_;

    // Prompt tokens when the last exchange began, and when the one before it began; -1 = unknown.
    int prompt_at_last_ = -1;
    int prompt_at_previous_ = -1;
};

}  // namespace tandem::conversations
