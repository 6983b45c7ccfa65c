#pragma once

#include "flags/speech_pace.hpp"
#include "recording/prompt_file.hpp"
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

struct replay_rules {
    speech_pace pace{};
    /// So often each dialogue is run, at once as far as `concurrency` allows.
    int conversations = 1;
    /// Dialogues that run at a time.
    int concurrency = 1;
    /// Servers that start, or load their model, are waited for so long before.
    duration wait{};
};

/// Replies of a run that runs each of these so often.
int count_replies(const std::vector<dialogue>& dialogues, int conversations);

/// Runs dialogues, and tells a view what happens: those of raw prompts over the servers in turn,
/// then the others as conversations of one service. They come one after the other, since a client
/// and a service that share a server know nothing of each other's use of its slots. Everything runs
/// on `ioc`, with one thread; the view is called from there.
class replay {
 public:
    /// `ioc` and `view` must outlive the run.
    replay(boost::asio::io_context& ioc, service_config settings, replay_rules rules,
           std::vector<dialogue> dialogues, replay_view& view);

    /// Calls `on_done` once all is over; an exception that ends the run leaves `ioc.run()`.
    void start(std::function<void()> on_done);
    /// Interrupts what runs, and starts nothing more.
    void stop();

    const replay_totals& totals() const noexcept { return totals_; }

 private:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;
    using dialogue_list = std::vector<const dialogue*>;

    awaitable<void> run();
    dialogue_list dialogues_of(bool raw) const;
    awaitable<void> run_prompts(dialogue_list list);
    awaitable<void> let_slots_rest();
    awaitable<void> run_conversations(dialogue_list list);
    awaitable<void> learn_states();
    awaitable<void> run_all(const dialogue_list& list);
    awaitable<void> work(const dialogue_list& list, std::size_t& next);

    awaitable<void> run_prompt(const dialogue& d, const std::string& id);
    awaitable<void> run_conversation(const dialogue& d, const std::string& id);
    // False if it failed or could not start.
    awaitable<bool> run_turn(const dialogue& d, turn_name where, const chat_message& said,
                             conversation& talk);
    conversation begin(const dialogue& d);
    generation_options options_of(const dialogue& d) const;

    // False if the run is being stopped.
    bool tell_start(turn_name where, std::string_view prompt);
    awaitable<void> speak(const std::shared_ptr<paced_reply>& running, const dialogue& d);
    void tell_end(const end_event& e);

    boost::asio::io_context& ioc_;
    service_config settings_;
    replay_rules rules_;
    std::vector<dialogue> dialogues_;
    replay_view& view_;
    replay_totals totals_;
    server_clients servers_;
    std::optional<service> service_;
    boost::asio::steady_timer rest_;
    std::function<void()> on_done_;
    std::set<std::shared_ptr<paced_reply>> running_;
    bool stopping_ = false;
};

}  // namespace tandem::command
