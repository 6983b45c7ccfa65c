#pragma once

#include "os/coroutines.hpp"
#include "recording/dialogue.hpp"
#include "recording/expectation_check.hpp"
#include "recording/tool_list.hpp"
#include "replay/replay_command.hpp"
#include "run/paced_reply.hpp"
#include "run/replay_totals.hpp"
#include "run/replay_view.hpp"
#include "run/server_clients.hpp"

#include "tandem/service.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tandem::command {

int count_replies(const std::vector<dialogue>& dialogues, int conversations);
/// Returns the number of turns with expectations.
int count_expectations(const std::vector<dialogue>& dialogues, int conversations);

/// Runs dialogues and notifies a view. Raw prompts run first, distributed over the servers in
/// rotation. The other dialogues follow as conversations of one service. Everything runs on `ioc`
/// with one thread, including calls to the view.
class replay {
 public:
    /// `ioc` and `view` must outlive the run.
    replay(boost::asio::io_context& ioc, service_config settings, instruments i, replay_rules rules,
           std::vector<dialogue> dialogues, replay_view& view);

    /// Calls `on_done` at the end. An exception propagates out of `ioc.run()`.
    void start(std::function<void()> on_done);
    /// Interrupts the running replies and starts no new ones.
    void stop();

    const replay_totals& totals() const noexcept { return totals_; }

 private:
    using dialogue_list = std::vector<const dialogue*>;

    awaitable<void> run();
    dialogue_list dialogues_of(bool raw) const;
    awaitable<void> run_conversations(dialogue_list list);
    awaitable<void> fetch_server_states();
    awaitable<void> run_all(const dialogue_list& list);
    awaitable<void> run_queued_dialogues(const dialogue_list& list, std::size_t& next);

    awaitable<void> run_prompt(const dialogue& d, const std::string& id);
    awaitable<void> run_conversation(const dialogue& d, const std::string& id);
    // A dialogue's conversation.
    struct running_dialogue {
        const dialogue& d;
        const std::string& id;
        conversation talk;
        canned_results results;
        int replies = 0;
        int turn = 0;
        /// Counts the turn's replies from 1: the first reply, and the replies to function results.
        int round = 1;
        turn_outcome outcome{};

        reply_name next_reply() { return {id, replies++, turn}; }
        bool ends_turn(finish_reason ended, const std::vector<std::string>& answers) const {
            return ended != finish_reason::tool_calls || answers.empty() ||
                   round == max_calling_replies;
        }
    };

    // Returns false if the run is stopping.
    awaitable<bool> let_user_speak(running_dialogue& run, const chat_message& said);
    awaitable<bool> wait_until(clock::time_point at);
    // Returns false if the turn failed or could not start.
    awaitable<bool> run_turn(running_dialogue& run, const chat_message& said);
    // For the functions that the reply calls, adds the results to `results`.
    awaitable<finish_reason> run_reply(running_dialogue& run, generation_options options,
                                       reply_name where, std::vector<std::string>& results);
    void answer_calls(running_dialogue& run, tandem::reply& reply,
                      std::vector<std::string>& results);
    conversation begin_conversation(const dialogue& d);
    generation_options options_of(const dialogue& d) const;

    // Returns false if the run is stopping.
    bool report_start(reply_name where, std::string_view prompt);
    awaitable<void> speak(const std::shared_ptr<paced_reply>& running, const dialogue& d);
    // `turn` counts from 0. Returns nothing if the turn has no expectations, or if the end of the
    // run cut the turn off.
    std::optional<checked_turn> check_turn(const dialogue& d, int turn,
                                           const turn_outcome& outcome) const;
    void report_end(end_event e, std::optional<checked_turn> checked);

    boost::asio::io_context& ioc_;
    service_config settings_;
    instruments instruments_;
    replay_rules rules_;
    std::vector<dialogue> dialogues_;
    replay_view& view_;
    replay_totals totals_;
    server_clients servers_;
    std::optional<service> service_;
    std::set<std::shared_ptr<paced_reply>> running_;
    std::set<boost::asio::steady_timer*> waits_;
    bool stopping_ = false;
};

}  // namespace tandem::command
