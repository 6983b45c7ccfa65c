#pragma once

#include "tandem/config.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/detail/assert_not_moved_from.hpp"
#include "tandem/detail/async_call.hpp"
#include "tandem/detail/cancellation.hpp"
#include "tandem/error.hpp"
#include "tandem/reply.hpp"
#include "tandem/server.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tandem::detail {
class conversation_shell;
}  // namespace tandem::detail

namespace tandem {
inline namespace v0 {

/// Costs of a conversation over all its turns.
struct conversation_metrics {
    /// Numbers of turns that were started, interrupted and resumed.
    int turns = 0;
    int interrupted = 0;
    int resumed = 0;
    /// Tokens of all replies; see `token_usage`.
    std::int64_t generated = 0;
    std::int64_t drafted = 0;
    std::int64_t draft_wasted = 0;
    std::int64_t prefilled = 0;
    std::int64_t cached = 0;
    std::int64_t evaluated = 0;
    std::int64_t warmed = 0;
    /// Waits for slots, in ms: the sum over all requests, and the longest wait of a turn's first
    /// request.
    double slot_wait_ms = 0;
    double longest_turn_wait_ms = 0;
    /// How often history was trimmed, how many exchanges were dropped in total, and how often this
    /// happened early, while the voice or the user was speaking.
    int trims = 0;
    int trimmed_exchanges = 0;
    int early_trims = 0;
    /// How often the conversation moved to another server.
    int moves = 0;
    /// Numbers of slot files written and read, and the total times in ms.
    int slot_saves = 0;
    int slot_restores = 0;
    double slot_save_ms = 0;
    double slot_restore_ms = 0;
};

/// State of a conversation.
struct conversation_state {
    /// All messages; the last turn is as history would keep it now.
    std::vector<chat_message> history{};
    /// How far the last turn got, in bytes of its text: generated ≥ handed over ≥ heard.
    std::size_t generated = 0;
    std::size_t handed_over = 0;
    std::size_t heard = 0;
    /// Whether a reply is running.
    bool is_replying = false;
    /// Number of tokens at the start of history whose ids are known. The next prompt starts with
    /// these tokens, so a slot that holds them does not evaluate them again.
    int known_tokens = 0;
    /// URL of the conversation's server; empty before the first turn.
    std::string server{};
    /// Costs so far.
    conversation_metrics metrics{};
};

/// A dialogue: what was said, and what the listener heard of it. Created by service::create().
///
/// Each turn is a reply: append() what the user said, generate(), and pass the chunks to the voice.
/// Call continue_after() on the reply for each spoken chunk. When the user interrupts, call
/// interrupt(). If the voice knows its position, also call heard(), before or after interrupt().
/// History then keeps what the listener heard.
///
/// Object lifetimes: destroying the handle ends the conversation: its reply is interrupted, and its
/// slots are free immediately. The handle may outlive its service and the execution context; calls
/// then have no effect. A moved-from handle may only be assigned to or destroyed.
///
/// Executor: as for `client`.
///
/// Cancellation: as for `client`, but cancelling does not stop a draft or the use of a slot file,
/// so drafts and slot files do not support total cancellation. While a slot file is in use, the use
/// of another one fails with operation_in_progress.
///
/// Errors of asynchronous functions: session_not_found, client_destroyed.
///
/// Thread safety: all functions may be called from any thread. Calls from one thread take effect in
/// order. A call on the conversation's strand, for example in a handler without an executor of its
/// own, takes effect immediately, even before earlier calls from other threads. Moving and
/// destroying the handle must not overlap with another call on it.
class conversation {
 public:
    /// The type of the strand.
    using executor_type = boost::asio::any_io_executor;

    conversation(conversation&&) noexcept;
    conversation& operator=(conversation&&) noexcept;
    ~conversation();

    /// Appends a message of role "user", "tool" (with `tool_call_id`), "system", or "assistant"
    /// (with `tool_calls`, or text spoken without this library). A message that is appended during
    /// a reply follows that reply in history. At most 256 messages can wait for the end of the
    /// reply. Further messages are dropped with a warning in the log, as is a second result of a
    /// call. Errors: invalid_prompt if the message is not valid UTF-8 or its role is unknown;
    /// nothing is appended then.
    error_code append(chat_message message);
    error_code append(chat_message message, diagnostics& diag);

    /// Appends the result of a function that a reply called (reply::async_tool_calls()), as the
    /// model will read it. Call generate() after the last result. A call that has no result when
    /// the next turn begins gets a result that says so. A result that arrives later is appended
    /// before the following turn, as a user message: "Result of get_time {}: noon". A second result
    /// is dropped, with a warning in the log. Errors: invalid_prompt if the content is not valid
    /// UTF-8; nothing is appended then.
    error_code answer_call(std::string call_id, std::string content);
    /// Gives the call an interim result, so that the next turn can begin. Call answer_call() with
    /// the final result, before or after that turn begins. Errors: as for answer_call().
    error_code answer_call_later(std::string call_id,
                                 std::string meanwhile = "The result comes later.");

    /// Starts the next turn of the assistant. Errors are reported at the reply's end; in addition
    /// to those of client::start(): operation_in_progress while another reply runs,
    /// session_not_found, no_model, tokenize_failed, server_gone. prompt_too_long is reported
    /// before anything is sent if the system prompt and last exchange alone do not fit. The options
    /// default to those of the service.
    reply generate();
    reply generate(generation_options options);
    /// Starts a turn whose text is read, or spoken by a voice that sets its own pace: one request,
    /// which is not cut. Continue each chunk as soon as you have it. Reasoning comes in pieces with
    /// `chunk::reasoning` and no text. While the server evaluates a prompt of several batches,
    /// pieces without text or reasoning report progress. If the reply is streamed by token, all
    /// chunks but the last end with `boundary::limit`, and the `speech` of each chunk is its
    /// `text`.
    reply stream(generation_options options, stream_by pieces = stream_by::chunk);
    /// Calls append() with the user's text, and then generate(). While another reply runs, the text
    /// is kept for the next turn, and the returned reply ends with operation_in_progress. Text that
    /// is empty or only white space changes nothing, and the reply ends with invalid_prompt.
    reply say(std::string user_text);

    /// Speaks this text as the assistant's turn, for example a greeting. The reply is split into
    /// chunks, paced, interrupted and resumed like a generated one, and history keeps what was
    /// heard. The reply needs no server. When the reply ends, an idle slot is prefilled, as by
    /// warm(). Errors: operation_in_progress, session_not_found; invalid_prompt if the text is
    /// empty or not valid UTF-8. Only `lookahead` applies to the reply. The other options apply to
    /// the prefill; without options, it uses those of the last turn.
    reply say_text(std::string text);
    reply say_text(std::string text, generation_options options);
    /// Like say_text(), but history does not keep the text, for example "One moment, please." while
    /// a function runs. Another reply may run meanwhile; interrupt() ends both.
    reply say_aside(std::string text);
    reply say_aside(std::string text, generation_options options);

    /// Adds words to history that the listener heard while waiting for the running reply, for
    /// example from say_aside(). These words precede the text of the running or last turn. Errors:
    /// invalid_prompt if the text is empty or not valid UTF-8.
    error_code add_filler(std::string text);

    /// Reports how far the listener got into a chunk: characters (Unicode code points) of its
    /// `speech`, or a share of it (0 to 1). Earlier chunks count as heard in full, as do chunks
    /// that were continued before an interrupt. Reports may come late, twice and in any order; the
    /// furthest one counts. Reports take effect until the next turn begins, or for `resume_grace`
    /// after an interrupt.
    void heard(chunk_id id, std::size_t characters);
    void heard_share(chunk_id id, double share);
    /// Ends the running reply because the user is talking. History keeps as much of the turn as
    /// `conversation_options::interrupted` states, even if the reply has ended and its last chunk
    /// is still being spoken.
    void interrupt();
    /// Continues the interrupted turn after a false interruption, from the last whole word that was
    /// heard. No text is generated twice; if all text was generated, the reply needs no server. The
    /// reply ends with nothing_to_resume if no turn was interrupted within `resume_grace`, or if
    /// the turn was interrupted before all of it was generated and has a grammar, a JSON schema or
    /// a required call. If the voice is still speaking the chunk `speaking`, the new reply
    /// continues after this chunk, and heard() still applies to the chunk. The resumed reply does
    /// not repeat calls: if the result of the interrupted reply has calls, call generate() after
    /// the resumed reply, so that the model reads their results.
    reply resume(std::optional<chunk_id> speaking = {});
    /// Prefills an idle slot with the history, so that the next turn starts sooner. Call it at the
    /// start, or while the user is speaking.
    void warm();
    /// Like warm(), for a next turn with these options, because tools and adapters change the
    /// prompt. hearing() also uses these options until that turn begins.
    void warm(generation_options options);
    /// Reports what the user has said so far, according to a speech recognizer: prefills an idle
    /// slot with history and these words, so that the next turn has little left to evaluate when
    /// the user stops. Only one request runs at a time; the next one uses the newest text. `stable`
    /// is the number of characters that the recognizer will not change. Without `stable`, all words
    /// but the last count as stable or, on a server that evaluates the whole prompt again after a
    /// revision, only the words that two consecutive texts share. Does not change history: append()
    /// the final text. Has no effect while a reply runs, or if the text is not valid UTF-8.
    void hearing(std::string text, std::optional<std::size_t> stable = {});
    /// Drafts the reply to what the user may have said, before those words are certain: generates
    /// the reply's first chunk, cuts the request there, and keeps the chunk. The next turn
    /// continues from the draft if the user's text has the same words and the options are the same:
    /// its first chunk then comes immediately. Texts have the same words if they differ only in
    /// case, spaces, and the marks `.,;:!?…¿¡` that no digit follows. History keeps the text of the
    /// draft. The draft is dropped by any other turn, by drop_draft(), by hearing() or
    /// async_draft() with other words, and 5 s after the last async_draft() with its words. Nothing
    /// from a dropped draft is handed over, called, or kept in history. The options default to
    /// those of the next turn, as for hearing().
    ///
    /// Handler signature: `void(error_code, int)`: called when the draft is complete or dropped,
    /// with the number of tokens that the draft generated; 0 if a draft of these words already
    /// exists. Further errors: invalid_prompt; prompt_too_long if the history must be trimmed
    /// first; operation_aborted if the draft was dropped before it was complete; the errors of a
    /// reply; and draft_skipped, which keeps an earlier draft, if a reply or function is running,
    /// no slot is idle except those kept for turns, the turn has had `draft_limit` drafts, or the
    /// options require a reply of one request.
    template <class CompletionToken>
    auto async_draft(std::string text, CompletionToken&& token) {
        return change<CompletionToken, int>(&conversation::ask_draft, nullptr, token,
                                            std::move(text), std::optional<generation_options>());
    }
    template <class CompletionToken>
    auto async_draft(std::string text, generation_options options, diagnostics& diag,
                     CompletionToken&& token) {
        return change<CompletionToken, int>(&conversation::ask_draft, &diag, token, std::move(text),
                                            std::optional(std::move(options)));
    }
    /// Drops the draft, because the user keeps speaking. A draft of exactly the text `unless` is
    /// kept. Has no effect once the draft's turn has begun.
    void drop_draft(std::string unless = {});
    /// Ends the conversation, just as destroying the handle does. Later calls change nothing, and
    /// later replies end with session_not_found.
    void end();

    /// The state of the conversation. Handler signature: `void(error_code, conversation_state)`.
    template <class CompletionToken>
    auto async_state(CompletionToken&& token) {
        return call<CompletionToken, conversation_state>(&conversation::ask_state, nullptr, token);
    }
    template <class CompletionToken>
    auto async_state(diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken, conversation_state>(&conversation::ask_state, &diag, token);
    }
    /// The conversation as JSON, for service::load(): history and ledger. An open turn is saved as
    /// history would keep it now; unless it called functions, it can be resumed after load(). The
    /// result of a call may also come after load(). Handler signature: `void(error_code,
    /// std::string)`.
    template <class CompletionToken>
    auto async_save(CompletionToken&& token) {
        return call<CompletionToken, std::string>(&conversation::ask_save, nullptr, token);
    }
    template <class CompletionToken>
    auto async_save(diagnostics& diag, CompletionToken&& token) {
        return call<CompletionToken, std::string>(&conversation::ask_save, &diag, token);
    }
    /// Writes the content of the conversation's slot to a file on its server (`--slot-save-path`),
    /// so that a paused conversation needs no slot. `file` must have 1 to 128 characters of
    /// [A-Za-z0-9._-] and not start with a dot. The file exists only on that server. Handler
    /// signature: `void(error_code, slot_file_result)`. Further errors: not_supported, and those of
    /// a client's calls; operation_in_progress while the conversation replies or another file is in
    /// use; no_model, queue_timeout, server_gone; nothing_to_save if no slot holds the
    /// conversation.
    template <class CompletionToken>
    auto async_save_slot(std::string file, CompletionToken&& token) {
        return change<CompletionToken, slot_file_result>(&conversation::ask_save_slot, nullptr,
                                                         token, std::move(file));
    }
    template <class CompletionToken>
    auto async_save_slot(std::string file, diagnostics& diag, CompletionToken&& token) {
        return change<CompletionToken, slot_file_result>(&conversation::ask_save_slot, &diag, token,
                                                         std::move(file));
    }
    /// Reads a file of async_save_slot() into a slot, from which the next turn continues. The
    /// handler signature is the same, and so are the errors, except that bad_request reports a
    /// missing or unusable file, and nothing_to_save does not occur.
    template <class CompletionToken>
    auto async_restore_slot(std::string file, CompletionToken&& token) {
        return change<CompletionToken, slot_file_result>(&conversation::ask_restore_slot, nullptr,
                                                         token, std::move(file));
    }
    template <class CompletionToken>
    auto async_restore_slot(std::string file, diagnostics& diag, CompletionToken&& token) {
        return change<CompletionToken, slot_file_result>(&conversation::ask_restore_slot, &diag,
                                                         token, std::move(file));
    }

    /// Unique within its service.
    std::uint64_t id() const noexcept;
    /// The service's strand. Empty once the execution context is gone.
    executor_type get_executor() const noexcept;

 private:
    friend class service;
    using shell = std::shared_ptr<detail::conversation_shell>;
    template <class... Results>
    using pending = std::shared_ptr<detail::pending_call<Results...>>;

    explicit conversation(shell s) noexcept;

    template <class CompletionToken, class Result, class Function, class... Args>
    auto call(Function function, diagnostics* diag, std::remove_reference_t<CompletionToken>& token,
              Args... args) {
        return detail::async_call<detail::side_effects::none, CompletionToken, Result>(
            function, diag, token, detail::assert_not_moved_from(shell_), std::move(args)...);
    }
    template <class CompletionToken, class Result, class Function, class... Args>
    auto change(Function function, diagnostics* diag,
                std::remove_reference_t<CompletionToken>& token, Args... args) {
        return detail::async_call<detail::side_effects::possible, CompletionToken, Result>(
            function, diag, token, detail::assert_not_moved_from(shell_), std::move(args)...);
    }

    static void destroy_on_strand(shell s) noexcept;
    static void ask_draft(shell s, pending<int> call, std::string text,
                          std::optional<generation_options> options);
    static void ask_state(shell s, pending<conversation_state> call);
    static void ask_save(shell s, pending<std::string> call);
    static void ask_save_slot(shell s, pending<slot_file_result> call, std::string file);
    static void ask_restore_slot(shell s, pending<slot_file_result> call, std::string file);

    shell shell_;
};

}  // namespace v0
}  // namespace tandem
