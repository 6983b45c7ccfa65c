#pragma once

#include "tandem/config.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/detail/async_call.hpp"
#include "tandem/detail/used.hpp"
#include "tandem/error.hpp"
#include "tandem/reply.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

namespace detail {
class conversation_shell;
}

/// What a conversation has cost so far, over all its turns.
struct conversation_metrics {
    /// Turns begun; of these the ones that were interrupted, and those that were resumed.
    int turns = 0;
    int interrupted = 0;
    int resumed = 0;
    /// Tokens of all replies; see `token_usage`.
    std::int64_t generated = 0;
    std::int64_t cached = 0;
    std::int64_t evaluated = 0;
    std::int64_t warmed = 0;
    /// Waiting for slots, in ms: all of it, and the longest wait of a turn's first request.
    double slot_wait_ms = 0;
    double longest_turn_wait_ms = 0;
    /// Times that the oldest exchanges were taken out of the history, how many they were, and how
    /// many of these times while nothing waited for it (the voice spoke, or the user).
    int trims = 0;
    int trimmed_exchanges = 0;
    int early_trims = 0;
    /// Times that the conversation went to another server.
    int moves = 0;
    /// Slot files written and read, and how long that took, in ms.
    int slot_saves = 0;
    int slot_restores = 0;
    double slot_save_ms = 0;
    double slot_restore_ms = 0;
};

/// A conversation as it is now.
struct conversation_state {
    /// All messages; the last turn as history would keep it now.
    std::vector<chat_message> history{};
    /// Of the last turn, in bytes of its text: generated ≥ handed over ≥ heard.
    std::size_t generated = 0;
    std::size_t handed_over = 0;
    std::size_t heard = 0;
    /// A reply runs.
    bool is_replying = false;
    /// Tokens of the history whose ids are known: the next prompt begins with them, and what a slot
    /// still holds of them costs nothing.
    int known_tokens = 0;
    /// Where it is pinned; empty before its first turn.
    std::string server{};
    /// So far.
    conversation_metrics metrics{};
};

/// A dialogue: what was said, and what the listener heard of it. Made by service::create().
///
/// Each turn is a reply: append() what the user said, generate(), and give the chunks to the voice.
/// Say continue_after() on the reply for each chunk that was spoken, and on barge-in interrupt()
/// and, if the voice knows it, heard(): history keeps what the listener heard.
///
/// Lifetime: destroying the handle ends the conversation: its reply is interrupted, and its slots
/// are free at once. The handle may outlive its service, and the execution context, as that of a
/// client may: what is said to it then has no effect. One that was moved from may only be assigned
/// to or destroyed.
/// Thread-safety: all functions may be called from any thread. Calls from one thread take effect in
/// their order; but one that is made on the conversation's strand, as in a handler without an
/// executor of its own, takes effect at once, and may overtake those that were made elsewhere.
/// Moving and destroying the handle must not overlap with another call on it.
class conversation {
 public:
    conversation(conversation&&) noexcept;
    conversation& operator=(conversation&&) noexcept;
    ~conversation();

    /// What is said next: of role "user", "tool" (with `tool_call_id`), "system", or "assistant"
    /// (with `tool_calls`, or words that were said without this library). What is appended while a
    /// reply runs comes behind it; beyond 256 messages it is dropped, with a warning in the log.
    /// Errors: invalid_prompt if a text is not valid UTF-8 or the role is none of these; nothing is
    /// kept then.
    error_code append(chat_message message, diagnostics* diag = nullptr);

    /// Starts the next turn of the assistant. What is wrong is told by the reply's end; besides the
    /// errors of client::start(): operation_in_progress while another reply runs,
    /// session_not_found, no_model, tokenize_failed, server_gone. prompt_too_long comes before the
    /// request is sent where system prompt and last exchange alone do not fit. The options default
    /// to those of the service.
    reply generate();
    reply generate(generation_options options);
    /// The same for a reader, or another voice that sets its own pace: one request, which is not
    /// cut. Continue each chunk as soon as it is taken. What the model writes for itself comes in
    /// pieces that have `chunk::reasoning` and no text. While a prompt of several batches is
    /// evaluated, pieces without either tell that the server works. By token, all chunks but the
    /// last end as `boundary::limit`, and their `speech` is their `text`.
    reply stream(generation_options options, stream_by pieces = stream_by::chunk);
    /// append() of what the user said, and generate(). While another reply runs the words are kept
    /// for the next turn, and the reply that this gives is refused. A text that is empty or
    /// only white space, as speech recognition may give, changes nothing: the reply ends with
    /// invalid_prompt.
    reply say(std::string user_text);

    /// How far the listener got into a chunk: so many characters (Unicode code points) of its
    /// `speech`, or this share of it (0 to 1). Chunks before it were heard whole, as are those that
    /// were continued before an interrupt. May come late, twice and in any order: the furthest
    /// place counts. Counts until the turn is settled: when the next one begins, or `resume_grace`
    /// after an interrupt.
    void heard(chunk_id id, std::size_t characters);
    void heard_share(chunk_id id, double share);
    /// Barge-in: ends the running reply, and history keeps of the turn what `interrupted` says.
    /// Counts too while the last chunk of a reply that has ended is spoken.
    void interrupt();
    /// It was no barge-in: speaks on from the last whole word that was heard. What was generated
    /// already is not generated again. The reply ends with nothing_to_resume if no turn was
    /// interrupted within `resume_grace`, or if a grammar, a JSON schema or tools constrain it and
    /// it was interrupted before all was generated.
    reply resume();
    /// Prefills a slot with the history, if one is idle, so that the next turn starts sooner: while
    /// the user speaks, or at the start.
    void warm();
    /// As destroying the handle: what is said afterwards changes nothing, and replies that are
    /// asked for end with session_not_found.
    void end();

    /// Handler signature: `void(error_code, conversation_state)`. Errors here and below:
    /// session_not_found, client_destroyed; `boost::asio::error::operation_aborted` if cancelled.
    template <class CompletionToken>
    auto async_state(CompletionToken&& token, diagnostics* diag = nullptr) {
        return detail::async_call<conversation_state>(executor(), &conversation::ask_state, token,
                                                      diag, detail::used(shell_));
    }
    /// The conversation as JSON, for service::load(): history and ledger. A turn that is not
    /// settled is put down as history would keep it now. Handler signature:
    /// `void(error_code, std::string)`.
    template <class CompletionToken>
    auto async_save(CompletionToken&& token, diagnostics* diag = nullptr) {
        return detail::async_call<std::string>(executor(), &conversation::ask_save, token, diag,
                                               detail::used(shell_));
    }
    /// Writes what the conversation's slot holds into a file at its server (`--slot-save-path`), so
    /// that a conversation that sleeps needs no slot; `file` has 1 to 128 of A-Z a-z 0-9 . _ - and
    /// begins with no dot. The file is that server's.
    /// Handler signature: `void(error_code, slot_file_result)`. Errors besides: not_supported, and
    /// those of client's calls; operation_in_progress while it replies or another file is used;
    /// no_model, queue_timeout, server_gone; nothing_to_save if no slot holds the conversation.
    template <class CompletionToken>
    auto async_save_slot(std::string file, CompletionToken&& token, diagnostics* diag = nullptr) {
        return detail::async_call<slot_file_result>(executor(), &conversation::ask_save_slot, token,
                                                    diag, detail::used(shell_), std::move(file));
    }
    /// Reads such a file into a slot, from which the next turn goes on. Handler signature and
    /// errors are the same, but for nothing_to_save; bad_request if the file is missing or of no
    /// use.
    template <class CompletionToken>
    auto async_restore_slot(std::string file, CompletionToken&& token,
                            diagnostics* diag = nullptr) {
        return detail::async_call<slot_file_result>(executor(), &conversation::ask_restore_slot,
                                                    token, diag, detail::used(shell_),
                                                    std::move(file));
    }

    /// Unique in its service.
    std::uint64_t id() const noexcept;

 private:
    friend class service;
    using shell = std::shared_ptr<detail::conversation_shell>;
    template <class... Results>
    using pending = std::shared_ptr<detail::pending_call<Results...>>;

    explicit conversation(shell s) noexcept;
    boost::asio::any_io_executor executor() const noexcept;
    static void let_go(shell s) noexcept;
    static void ask_state(shell s, pending<conversation_state> call);
    static void ask_save(shell s, pending<std::string> call);
    static void ask_save_slot(shell s, pending<slot_file_result> call, std::string file);
    static void ask_restore_slot(shell s, pending<slot_file_result> call, std::string file);

    shell shell_;
};

}  // namespace tandem
