#pragma once

#include "probe/doctor_facts.hpp"
#include "probe/probe_session.hpp"

#include "tandem/config.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace tandem::command {

struct probe_rules {
    /// How long a model that loads is waited for.
    duration load_wait = std::chrono::seconds(30);
    /// Whether slots are used, or the server is only asked what it is.
    bool measure = true;
};

/// Finds out what there is to know about a server. Everything runs on `ioc`, with one thread.
class doctor_probe {
 public:
    /// `ioc` must outlive the run.
    doctor_probe(boost::asio::io_context& ioc, const config& settings, probe_rules rules);

    /// Calls `on_done` once all is known; an exception that ends the run leaves `ioc.run()`.
    void start(std::function<void()> on_done);
    /// Ends at once, with what is known.
    void stop();

    const doctor_facts& facts() const noexcept { return facts_; }
    /// "round 2 of 3: a cut", for people who wait.
    const std::string& doing() const noexcept { return doing_; }

 private:
    template <class T>
    using awaitable = boost::asio::awaitable<T>;

    awaitable<void> run();
    awaitable<void> reach();
    awaitable<void> try_other_scheme();
    awaitable<void> measure_round_trip();
    awaitable<void> ask();
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
