#pragma once

#include "conversation/history/cache_break_detector.hpp"
#include "conversation/history/context_trimming.hpp"
#include "conversation/history/turn_history.hpp"
#include "conversation/reply_draft.hpp"
#include "conversation/server_provider.hpp"
#include "conversation/slot_file_job.hpp"
#include "conversation/slot_prefill.hpp"
#include "loop/strand_scope.hpp"
#include "reply/machine/reply_options.hpp"
#include "reply/reply_start_point.hpp"
#include "server/server_leave_reason.hpp"
#include "server/template_marks_loader.hpp"

#include "tandem/config.hpp"
#include "tandem/conversation.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tandem::detail {

class reply_shell;

/// Runs a conversation: makes prompts from the messages of its history, starts replies to them, and
/// records in the history what was said and heard. All functions except make(), scope(), id(),
/// stop_deliveries() and generate() run on the scope's strand.
class conversation_shell final : public std::enable_shared_from_this<conversation_shell>,
                                 public reply_listener,
                                 public shutdown_listener {
 public:
    using server_link_ptr = server_provider::server_link_ptr;

    /// `rules` is the service's configuration of replies, and must live as long as `host`.
    static std::shared_ptr<conversation_shell> make(strand_scope& scope,
                                                    std::shared_ptr<server_provider> host,
                                                    const config& rules,
                                                    conversations::turn_history history);

    strand_scope& scope() const noexcept { return *scope_; }
    slots::owner_id id() const noexcept { return id_; }
    const server_link_ptr& pinned_server() const noexcept { return link_; }

    /// Makes the open turn of a saved conversation resumable; `options` are those of the turn. Call
    /// it before all other functions.
    void restore_turn(const generation_options& options);
    /// Call it before the first turn, which then uses this server if possible.
    void set_first_server(server_link_ptr link) { pin_server(std::move(link)); }
    void append(chat_message message);
    void answer_call(const std::string& id, const std::string& content, bool is_final = true);
    void add_filler(const std::string& text) { history_.add_filler(text); }
    std::shared_ptr<reply_shell> generate(reply_options wish);
    std::shared_ptr<reply_shell> generate();
    std::shared_ptr<reply_shell> resume(std::optional<chunk_id> speaking);
    std::shared_ptr<reply_shell> say_text(std::string text,
                                          std::optional<generation_options> options);
    std::shared_ptr<reply_shell> say_aside(std::string text,
                                           std::optional<generation_options> options);
    /// Makes a reply that ends immediately with this failure.
    std::shared_ptr<reply_shell> make_refused_reply(failure why);
    void on_heard(chunk_id id, std::size_t characters) override;
    void on_heard_share(chunk_id id, double share) override;
    /// From now on, delivers no chunks of earlier replies. Call it on any thread before posting
    /// interrupt() or end() to the strand.
    void stop_deliveries() noexcept { ++*interrupts_; }
    void interrupt();
    /// Sets the options of the next turn in advance, so that prefills use them.
    void expect_options(generation_options options);
    void warm();
    /// What the user has said so far; see conversation::hearing().
    void hearing(std::string text, std::optional<std::size_t> stable);
    /// Receives the number of generated tokens.
    using draft_handler = std::function<void(error_code, const diagnostics&, int)>;
    void draft(std::string text, std::optional<generation_options> options, draft_handler done);
    /// See conversation::drop_draft().
    void drop_draft(const std::string& unless);
    void end();

    bool has_ended() const noexcept { return ended_; }
    /// This conversation begins with the messages of `before`, whose text a slot may still hold.
    /// Call it before the first turn.
    void continue_conversation(std::shared_ptr<const conversation_shell> before);
    /// URL of the conversation's server; empty before the first turn.
    std::string server_url() const;
    conversation_state state() const;
    std::string saved() const;
    void save_slot(std::string file, slot_file_job::handler done);
    void restore_slot(std::string file, slot_file_job::handler done);

    /// Moves the running turn to another server if that is possible and `reason` requires it; stops
    /// a running draft.
    void leave_server(const server_leave_reason& reason);

    // Reports of a reply.
    void on_request_failed(const server_link_ptr& at, const failure& why) override;
    void on_handed_over(const chunk& c) override;
    void on_continued(chunk_id id) override;
    void make_ids_unique(std::vector<tool_call>& calls) const override;
    void on_called(std::uint64_t reply, std::vector<tool_call> calls) override;
    void on_ended(std::uint64_t reply, const reply_result& result, reply_remainder rest) override;
    void on_chunk_not_delivered(chunk_id id) override;

    void on_owner_destroyed() override;
    void on_context_destroyed() noexcept override;

 private:
    // A turn from its start to its first request.
    struct starting_turn {
        std::uint64_t reply = 0;
        time_point began{};
        start_handler done;
        int max_tokens = 0;
        /// The reply is for a reader, to whom calls may be shown as text if their mark is unknown.
        bool is_streamed = false;
        /// Whether the reply may contain calls, which must be recognized by the template's mark.
        bool needs_call_mark = false;
        /// How the server's template marks words and calls.
        server::template_marks marks{};
        /// The origin of a turn that is resumed, or continues from a draft.
        std::optional<reply_origin> resumed{};
        /// The text of a saved turn; the turn's prompt must be rendered again.
        std::optional<begun_text> begun{};
        std::optional<early_work> draft{};
        /// The turn left its server. If `has_text`, it continues after the text generated there.
        bool is_failover = false;
        bool has_text = false;
        const server_link* previous_server = nullptr;  // the server that the turn left
        int servers_tried = 0;
        /// Number of the current check of a server; answers to earlier checks are ignored.
        int check_id = 0;
        std::optional<failure> unreachable{};
        /// Where and why the prompt stops continuing the last one. `watched` replaces watch_ when
        /// the request is sent.
        std::optional<cache_break> broken{};
        std::optional<conversations::cache_break_detector> watched{};
    };
    using start_ptr = std::shared_ptr<starting_turn>;
    using prompt_handler = std::function<void(error_code, const diagnostics&, std::string)>;
    using draft_ptr = std::shared_ptr<reply_draft>;
    using options_ptr = std::shared_ptr<const generation_options>;

    // The error of a turn with tools on a server whose call mark is unknown.
    static constexpr auto no_call_mark =
        "the server's chat template does not show how a tool call begins, so that calls cannot be "
        "kept out of the speech; start the server with --jinja and a model whose template knows "
        "tools, or omit the tools";

    conversation_shell(strand_scope& scope, std::shared_ptr<server_provider> host,
                       const config& rules, conversations::turn_history history);

    // Starting a turn.
    void begin_turn(reply_shell& reply, const options_ptr& options, start_handler done);
    void resume_turn(reply_shell& reply, std::optional<chunk_id> speaking, start_handler done);
    void begin_spoken_turn(reply_shell& reply, const options_ptr& options, const std::string& text,
                           const start_handler& done);
    bool retry_if_not_started(const reply_shell& reply, const start_handler& done);
    void fail_over(const reply_shell& reply, start_handler done);
    void resume_after_failover(const start_ptr& start);
    reply_start_point make_start_point(server::template_marks marks, reply_origin origin);
    std::optional<failure> check_turn_allowed() const;
    std::optional<failure> check_resume_allowed(time_point at) const;
    void prepare_turn(reply_shell& reply);
    void begin_history_turn(reply_shell& reply);
    reply_server_source make_reply_source(std::function<void(reply_shell&, start_handler)> start);
    void find_server(const start_ptr& start);
    std::variant<server_link_ptr, failure> assign_server(const starting_turn& start);
    void on_server_check_failed(const start_ptr& start, failure why);
    void on_prompt_failed(const start_ptr& start, const failure& why);
    void try_other_server(const start_ptr& start, const failure& why);
    void fail_without_server(const start_ptr& start);
    void on_server_found(const start_ptr& start);
    /// Learns how the server's template marks the words and the calls of a reply.
    void load_marks(bool with_calls, server::template_marks_loader::handler done);
    void begin_at_server(const start_ptr& start);
    bool needs_call_mark(const generation_options& o) const;
    generation_options prefill_options() const;
    void render_history(const generation_options& options, prompt_handler done);
    void render_messages(const std::vector<chat_message>& messages,
                         const generation_options& options, prompt_handler done);
    void make_prompt(const start_ptr& start);
    void start_prompted_reply(const start_ptr& start, prompt_with_ids prompt);
    void detect_cache_break(starting_turn& start, std::string_view prompt);
    bool is_sure_to_fit(const prompt_with_ids& prompt, int max_tokens) const;
    void check_prompt_size(const start_ptr& start, prompt_with_ids prompt);
    void trim_to_fit(const start_ptr& start, prompt_with_ids counted);
    void start_reply(const start_ptr& start, reply_origin origin);
    void start_generated_reply();
    void add_early_work(starting_turn& start, reply_origin& origin);
    start_ptr make_starting_turn(const reply_shell& reply, start_handler done,
                                 const generation_options& options) const;
    void fail_start(const start_ptr& start, const failure& why);
    conversations::context_usage context_usage(std::span<const conversations::exchange_size> costs,
                                               int prompt_tokens, int max_tokens) const;
    void drop_oldest(std::size_t exchanges);
    bool is_current(const start_ptr& start, int check_id) const noexcept;
    void end_server_check(const start_ptr& start) noexcept;
    void pin_server(server_link_ptr link);
    void inherit_token_ids(const std::shared_ptr<const conversation_shell>& before);
    void leave_slots_of_server();
    bool has_model_changed();

    // Between turns.
    void keep_for_next_turn(chat_message message);
    void append_to_history(chat_message message);
    void report_unknown_call(const std::string& id);
    void request_history_ids();
    void request_missing_ids();
    void on_ids_received();
    void trim_or_prefill();
    void prepare_idle_server(std::function<void(conversation_shell&)> done,
                             std::function<void(const failure&)> on_failed = {});
    void prefill();
    void prefill_before_results();

    // The user's speech before it is complete.
    void prefill_words(std::string words);
    void prefill_heard_words();
    void record_words_prefill(const wire::timings& counts);
    void prefill_next_words();
    std::optional<std::size_t> find_revision(std::string_view prompt) const;
    void stop_hearing() noexcept;
    std::optional<std::string> find_reason_to_skip_draft(const generation_options& options);
    void discard_draft();
    void start_draft(generation_options options);
    reply_draft::events make_draft_events(draft_handler done);
    void find_draft_start(const draft_ptr& draft, const start_handler& done);
    void load_draft_marks(const draft_ptr& draft, const start_handler& done);
    void render_draft_prompt(const draft_ptr& draft, const server::template_marks& marks,
                             const start_handler& done);
    void begin_drafted_turn(const start_ptr& start);
    void continue_from_draft(const start_ptr& start);
    void check_draft_size(const draft_ptr& draft, const server::template_marks& marks,
                          prompt_with_ids prompt, const start_handler& done);
    void begin_draft(reply_draft& draft, const server::template_marks& marks,
                     prompt_with_ids prompt, const start_handler& done);
    void on_draft_over(const reply_draft& draft);
    early_work take_early_work(const starting_turn& start);
    void count_wasted(int tokens);

    void release_slots();
    void start_prefill(prompt_with_ids prompt, bool is_of_words = false);
    void run_slot_file_job(slot_file_job::kind what, std::string file, slot_file_job::handler done);
    slot_file_job::handler begin_slot_file_job(slot_file_job::handler done);
    void resolve_slot_text(slot_file_job::kind what, std::string file, slot_file_job::handler done);
    void start_slot_file_job(slot_file_job::kind what, std::string file, std::string text,
                             slot_file_job::handler done);
    void on_slot_file_done(slot_file_job::kind what, const error_code& ec,
                           const slot_file_result& r);

    generation_options get_resume_options();
    void apply_options(const options_ptr& options, bool has_begun);
    std::optional<reply_remainder> take_unstarted_remainder();
    server::call_id parse_calls(const generated_calls& g,
                                server::server_calls::handler<wire::parsed_reply> done);
    server::call_id force_calls(wire::begun_call after,
                                server::server_calls::handler<wire::parsed_reply> done);
    void interrupt_asides();
    void add_to_metrics(const reply_result& result);

    std::shared_ptr<strand_scope> scope_;
    std::shared_ptr<server_provider> host_;
    const config& rules_;
    const slots::owner_id id_;
    const std::shared_ptr<std::atomic<std::uint64_t>> interrupts_ =
        std::make_shared<std::atomic<std::uint64_t>>(0);
    // Options of the last turn, and of a requested turn that has neither begun nor ended. They are
    // replaced on the strand, and read on any thread.
    std::mutex options_mutex_;
    options_ptr turn_options_;
    options_ptr next_options_;  // of the next turn, if known in advance
    std::weak_ptr<const generation_options> asked_options_;
    conversations::turn_history history_;
    server_link_ptr link_;
    /// The part of the conversation that a slot of link_ holds.
    tokenized_text known_;
    std::string known_model_;
    conversations::cache_break_detector watch_;
    /// The conversation that this one continues; null once this one has a server.
    std::shared_ptr<const conversation_shell> before_;
    server_props props_;  // of link_, as last reported
    bool has_spoken_here_ = false;
    voice_pace pace_;
    std::weak_ptr<reply_shell> reply_;
    std::vector<std::weak_ptr<reply_shell>> asides_;
    std::uint64_t running_ = 0;      // id of the running reply
    start_ptr starting_;             // until its reply has a prompt
    start_ptr checking_;             // while it waits for link_ to answer
    std::uint64_t last_reply_ = 0;   // id of the last reply that ended
    int tokens_said_ = 0;            // of the last prompt and its reply
    server_link_ptr generating_at_;  // the server that counts the reply
    // Servers on which the running reply could not start; they are tried again when there is no
    // other.
    std::vector<server_link_ptr> failed_servers_;
    std::optional<reply_remainder> remainder_;
    std::string remainder_model_;  // the model that the ids in remainder_ belong to
    std::shared_ptr<slot_prefill> prefill_;
    std::string last_partial_;      // the words of the user who is speaking
    std::string recognized_words_;  // the part of last_partial_ to prefill
    std::string prefilled_words_;   // the words prefilled last
    bool is_prefilling_words_ = false;
    /// If the last prefill of words replaced words of the one before: how many bytes of that
    /// prefill's text it kept.
    std::optional<std::size_t> revised_;
    draft_ptr draft_;
    int drafts_ = 0;    // since the last turn
    early_work early_;  // since the last turn
    std::weak_ptr<slot_file_job> file_job_;
    bool uses_slot_file_ = false;  // while a slot file is saved or restored
    bool is_given_text_ = false;   // the text of the turn is not generated
    std::vector<chat_message> said_meanwhile_;
    conversation_metrics metrics_;
    bool ended_ = false;
};

}  // namespace tandem::detail
