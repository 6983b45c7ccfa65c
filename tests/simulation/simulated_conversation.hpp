#pragma once

#include "conversation/history/turn_history.hpp"
#include "reply/reply_start_point.hpp"
#include "simulation/expected_history.hpp"
#include "simulation/simulated_draft.hpp"
#include "simulation/simulated_reply.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::test {

class simulated_service;

/// A conversation of a simulated service. Mirrors conversation_shell, and simulates the user and
/// the voice. Compares the history with the expected history after each step.
class simulated_conversation final : public detail::reply_listener {
 public:
    simulated_conversation(simulated_service& service, slots::owner_id id);

    void begin();
    /// Makes the conversation leave its server, because the server was removed, is unreachable or
    /// hangs.
    void leave_server(const detail::server_leave_reason& reason);
    void server_died(const simulated_server& which);

    bool ended() const noexcept { return ended_; }
    const simulated_server* pinned_server() const noexcept { return core_; }
    const simulated_server* generating_at() const noexcept { return generating_at_; }
    const simulated_server* drafting_at() const noexcept { return drafting_at_; }
    slots::owner_id id() const noexcept { return id_; }
    void check_end() const;
    detail::reply_machine::transitions made() const;

 private:
    // Mirrors conversation_shell.
    struct starting_turn {
        std::uint64_t reply = 0;
        start_handler done{};
        std::optional<detail::reply_origin> resumed{};
        bool is_drafted = false;
        bool goes_on = false;
        int servers_tried = 0;
        int check_id = 0;
        std::optional<failure> unreachable{};
    };
    using start_ptr = std::shared_ptr<starting_turn>;

    void on_handed_over(const chunk& c) override;
    void on_called(std::uint64_t reply, std::vector<tool_call> calls) override;
    void on_continued(chunk_id id) override;
    void on_ended(std::uint64_t reply, const reply_result& result,
                  detail::reply_remainder rest) override;

    void user_speaks();
    void read_results();
    void take_turn();
    void begin_turn(reply_plan plan, bool awaits_draft);
    void answer_call(const std::string& id);
    void take_late_result(const std::string& id, const std::string& content);
    void user_speaks_meanwhile();
    void say(std::string words);
    void say_late_results();
    void interrupt();
    void resume();
    void plan_what_follows();
    void trim();
    void end();

    // Drafts, in simulated_draft.cpp.
    void draft(const std::string& words);
    void commit(const std::string& words);
    void drop_draft();
    void on_draft_over();
    void continue_from_draft(const start_ptr& start);

    void start_turn(std::optional<detail::reply_origin> resumed, bool awaits_draft = false);
    void begin_turn(const start_handler& done);
    void go_on(const start_handler& done);
    void find_server(const start_ptr& start);
    void on_server_check_failed(const start_ptr& start, const failure& why);
    void try_other_server(const start_ptr& start, const failure& why);
    void fail_without_server(const start_ptr& start);
    void on_server_found(const start_ptr& start);
    void start_generated_reply();
    bool is_current(const start_ptr& start, int check_id) const noexcept;
    void end_server_check(const start_ptr& start) noexcept;
    void pin(simulated_server* core);

    void plan_report(const chunk& c);
    void report(chunk_id id, std::size_t characters, std::size_t of);
    void compare() const;
    simulated_reply& reply() { return *replies_.back(); }

    simulated_service& service_;
    simulated_world& world_;
    const slots::owner_id id_;
    conversation_options options_;
    conversations::turn_history history_;
    expected_history expected_;
    simulated_server* core_ = nullptr;
    // The servers whose counts include the running reply and the draft.
    const simulated_server* generating_at_ = nullptr;
    const simulated_server* drafting_at_ = nullptr;
    std::vector<const simulated_server*> shunned_;
    std::string model_;       // the last known model of core_
    std::string rest_model_;  // the model whose ids rest_ contains
    int turns_left_;
    std::optional<reply_plan> plan_;  // of the current or last turn
    std::uint64_t running_ = 0;
    start_ptr starting_;        // until the reply has a prompt
    start_ptr checking_;        // during the search for a server
    bool has_started_ = false;  // whether the running reply has started
    std::optional<detail::reply_remainder> rest_;
    std::vector<std::string> said_meanwhile_;
    std::vector<std::string> late_results_;  // for the next turn
    std::vector<std::unique_ptr<simulated_reply>> replies_;
    std::unique_ptr<simulated_draft> draft_;  // the current draft
    std::vector<std::unique_ptr<simulated_draft>> old_drafts_;
    std::size_t ends_ = 0;
    bool ended_ = false;
};

}  // namespace tandem::test
