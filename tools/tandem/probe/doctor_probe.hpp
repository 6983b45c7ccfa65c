#pragma once

#include "os/coroutines.hpp"
#include "probe/doctor_facts.hpp"
#include "probe/probe_session.hpp"

#include "tandem/config.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <optional>
#include <string>

namespace tandem::command {

struct probe_rules {
    /// How long to wait for a model that is loading.
    duration load_wait = std::chrono::seconds(30);
    /// Whether to measure with requests to slots rather than only query the server.
    bool measure = true;
};

/// Queries and measures a server. Everything runs on `ioc` with one thread.
class doctor_probe {
 public:
    /// `ioc` must outlive the run.
    doctor_probe(boost::asio::io_context& ioc, const config& settings, probe_rules rules);

    /// Calls `on_done` at the end. An exception propagates out of `ioc.run()`.
    void start(std::function<void()> on_done);
    /// Ends immediately and keeps the facts found so far.
    void stop();

    const doctor_facts& facts() const noexcept { return facts_; }
    /// The current step, as shown to the user, such as "round 2 of 3: a cut".
    const std::string& status_text() const noexcept { return doing_; }

 private:
    awaitable<void> run();
    awaitable<void> connect();
    awaitable<void> try_other_scheme();
    awaitable<void> try_without_key();
    awaitable<void> measure_round_trip();
    awaitable<void> query_server();
    awaitable<void> measure();

    probe_rules rules_;
    doctor_facts facts_;
    config settings_;
    probe_session session_;
    std::optional<probe_session> other_session_;
    boost::asio::io_context& ioc_;
    boost::asio::steady_timer limit_;
    std::string doing_;
};

}  // namespace tandem::command
