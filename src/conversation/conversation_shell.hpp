#pragma once

#include "conversation/context_care.hpp"
#include "conversation/conversation_host.hpp"
#include "conversation/slot_file_job.hpp"
#include "conversation/slot_prefill.hpp"
#include "conversation/turn_history.hpp"
#include "loop/event_home.hpp"
#include "reply/machine/reply_wish.hpp"
#include "reply/reply_start.hpp"
#include "server/reason_to_leave.hpp"

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

/// A conversation: asks the history what to send, makes prompts and replies of it, and reports to
/// it what became of them. All functions but make(), home(), id(), stop_deliveries() and generate()
/// run on the home's strand.
class conversation_shell final : public std::enable_shared_from_this<conversation_shell>,
                                 public reply_listener,
                                 public home_tenant {
 public:
    using core_ptr = conversation_host::core_ptr;

    /// `rules` are those of the service's replies, and must live as long as its host.
    static std::shared_ptr<conversation_shell> make(event_home& home,
                                                    std::shared_ptr<conversation_host> host,
                                                    const config& rules,
                                                    conversations::turn_history history);

    event_home& home() const noexcept { return *home_; }
    slots::owner_id id() const noexcept { return id_; }
    const core_ptr& pinned() const noexcept { return core_; }

    /// Before its first turn: that one goes there, if it can.
    void begin_at(core_ptr core) { pin(std::move(core)); }
    void append(chat_message message);
    std::shared_ptr<reply_shell> generate(reply_wish wish);
    std::shared_ptr<reply_shell> generate();
    std::shared_ptr<reply_shell> resume();
    /// A reply that ends so at once.
    std::shared_ptr<reply_shell> refused(failure why);
    void heard(chunk_id id, std::size_t characters) override;
    void heard_share(chunk_id id, double share) override;
    /// From any thread, before interrupt() or end() is asked for on the strand: chunks of earlier
    /// replies are not delivered any more.
    void stop_deliveries() noexcept { ++*interrupts_; }
    void interrupt();
    void warm();
    void end();

    bool ended() const noexcept { return ended_; }
    conversation_state state() const;
    std::string saved() const;
    void save_slot(std::string file, slot_file_job::handler done);
    void restore_slot(std::string file, slot_file_job::handler done);

    /// What runs goes to another server, if it can and should.
    void leave_server(const reason_to_leave& reason);

    // What a reply reports.
    void request_failed(const core_ptr& at, const failure& why) override;
    void handed_over(const chunk& c) override;
    void continued(chunk_id id) override;
    void ended(std::uint64_t reply, const reply_result& result, reply_rest rest) override;
    void not_delivered(std::uint64_t reply) override;

    void home_closed() override;
    void context_ended() noexcept override;

 private:
    // A turn from its start to its first request.
    struct turn_start {
        std::uint64_t reply = 0;
        start_handler done;
        int max_tokens = 0;
        /// Where it continues from, if it is resumed.
        std::optional<reply_origin> resumed{};
        /// It continues after its server failed; from its text, if it has any.
        bool goes_on = false;
        bool has_text = false;
        const client_core* left = nullptr;  // where it comes from
        int servers_tried = 0;
        /// Counts the looks at servers: an answer to one that was given up is nobody's.
        int look = 0;
        std::optional<failure> unreachable{};
    };
    using start_ptr = std::shared_ptr<turn_start>;
    using prompt_handler = std::function<void(error_code, const diagnostics&, std::string)>;
    using options_ptr = std::shared_ptr<const generation_options>;

    conversation_shell(event_home& home, std::shared_ptr<conversation_host> host,
                       const config& rules, conversations::turn_history history);

    // Starting a turn.
    void begin_turn(reply_shell& reply, const options_ptr& options, start_handler done);
    void resume_turn(reply_shell& reply, start_handler done);
    bool start_again(const reply_shell& reply, const start_handler& done);
    void go_on(const reply_shell& reply, start_handler done);
    void went_on(const start_ptr& start);
    reply_start start_here(reply_origin origin);
    std::optional<failure> refuse_turn() const;
    std::optional<failure> refuse_resume(time_point at) const;
    void turn_begins(reply_shell& reply);
    reply_source source_of(std::function<void(reply_shell&, start_handler)> start);
    void find_server(const start_ptr& start);
    std::variant<core_ptr, failure> place(const turn_start& start);
    void no_answer(const start_ptr& start, failure why);
    void no_prompt(const start_ptr& start, const failure& why);
    void find_another(const start_ptr& start, const failure& why);
    void no_other(const start_ptr& start);
    void server_found(const start_ptr& start);
    void render_history(prompt_handler done);
    void make_prompt(const start_ptr& start);
    void check_size(const start_ptr& start, known_prompt prompt);
    void fit(const start_ptr& start, known_prompt counted);
    void start_reply(const start_ptr& start, reply_origin origin);
    void fail(const start_ptr& start, const failure& why);
    conversations::context_use context_use(std::span<const conversations::exchange_cost> costs,
                                           int prompt_tokens, int max_tokens) const;
    void drop_oldest(std::size_t exchanges);
    bool is_current(const start_ptr& start, int look) const noexcept;
    void look_is_over(const start_ptr& start) noexcept;
    void pin(core_ptr core);
    void retire();
    bool meets_another_model();

    // Between turns.
    void learn_ids();
    void learn_lost_ids();
    void ids_learnt();
    void care_for_context();
    void prefill();
    void prefill_with(known_prompt prompt);
    void use_slot_file(slot_file_job::kind what, std::string file, slot_file_job::handler done);
    slot_file_job::handler slot_file_begins(slot_file_job::handler done);
    void find_slot_text(slot_file_job::kind what, std::string file, slot_file_job::handler done);
    void start_slot_file(slot_file_job::kind what, std::string file, std::string text,
                         slot_file_job::handler done);
    void slot_file_done(slot_file_job::kind what, const error_code& ec, const slot_file_result& r);

    generation_options options_to_resume();
    void take_options(const options_ptr& options, bool has_begun);
    std::optional<reply_rest> take_unstarted();
    void count(const reply_result& result);

    std::shared_ptr<event_home> home_;
    std::shared_ptr<conversation_host> host_;
    const config& rules_;
    const slots::owner_id id_;
    const std::shared_ptr<std::atomic<std::uint64_t>> interrupts_ =
        std::make_shared<std::atomic<std::uint64_t>>(0);
    // Of the last turn, and of one that was asked for and has neither begun nor ended yet. Replaced
    // on the strand, read from any thread.
    std::mutex options_mutex_;
    options_ptr turn_options_;
    std::weak_ptr<const generation_options> asked_options_;
    conversations::turn_history history_;
    core_ptr core_;
    /// What a slot of core_ holds of the conversation.
    known_text known_;
    std::string known_model_;
    server_props props_;  // of core_, as it was last
    bool has_spoken_here_ = false;
    std::weak_ptr<reply_shell> reply_;
    std::uint64_t running_ = 0;     // the running reply's id
    start_ptr starting_;            // until its reply has a prompt
    start_ptr looking_;             // waits for answers of core_
    std::uint64_t last_reply_ = 0;  // that ended
    int tokens_said_ = 0;           // of the last prompt and what was generated behind it
    core_ptr generating_at_;        // that counts it
    // Those that the running reply could not be begun at. Asked again when there is no other.
    std::vector<core_ptr> shunned_;
    std::optional<reply_rest> rest_;
    std::string rest_model_;  // whose ids rest_ has
    std::shared_ptr<slot_prefill> prefill_;
    std::weak_ptr<slot_file_job> file_job_;
    bool uses_slot_file_ = false;  // from the call to its answer
    std::vector<chat_message> said_meanwhile_;
    conversation_metrics metrics_;
    bool ended_ = false;
};

}  // namespace tandem::detail
