#pragma once

#include "paced_reply.hpp"
#include "prompt_file.hpp"
#include "replay_totals.hpp"
#include "replay_view.hpp"
#include "server_clients.hpp"
#include "speech_pace.hpp"

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
    /// Dialogues that run at a time.
    int concurrency = 1;
};

/// Runs dialogues over the servers in turn, and tells a view what happens. Everything runs on
/// `ioc`, with one thread; the view is called from there.
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

    using server = server_clients::server;

    awaitable<void> run();
    awaitable<void> work();
    awaitable<void> run_dialogue(const dialogue& d, server& s);
    // The reply's text; nothing if it failed or could not start.
    awaitable<std::optional<std::string>> run_turn(const dialogue& d, turn_name where, server& s,
                                                   const std::vector<chat_message>& messages);
    awaitable<std::string> prompt_of(const dialogue& d, server& s,
                                     const std::vector<chat_message>& messages,
                                     reply_result& fault);
    awaitable<std::optional<std::string>> run_reply(const dialogue& d, turn_name where, server& s,
                                                    std::string prompt);
    void tell_end(const end_event& e);
    // With no reply running any more, calls that still wait for an answer are given up.
    void close_if_stopped();

    boost::asio::io_context& ioc_;
    service_config settings_;
    server_clients servers_;
    replay_rules rules_;
    std::vector<dialogue> dialogues_;
    replay_view& view_;
    replay_totals totals_;
    std::function<void()> on_done_;
    std::set<std::shared_ptr<paced_reply>> running_;
    std::size_t next_ = 0;
    bool stopping_ = false;
};

}  // namespace tandem::command
