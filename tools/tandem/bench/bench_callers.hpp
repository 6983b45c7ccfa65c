#pragma once

#include "bench/bench_totals.hpp"
#include "bench/bench_workload.hpp"
#include "os/coroutines.hpp"
#include "run/paced_reply.hpp"
#include "run/user_speech.hpp"

#include "tandem/service.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tandem::command {

/// The callers of a run. Each caller holds one conversation after another. Runs on one thread.
class bench_callers {
 public:
    /// `settings` are the settings of the service. The referenced objects must outlive this object.
    bench_callers(boost::asio::io_context& ioc, bench_workload& load,
                  const service_config& settings, speech_pace pace, user_speech_rules users)
        : ioc_(ioc), load_(load), settings_(settings), pace_(pace), users_(users) {}
    bench_callers(const bench_callers&) = delete;
    bench_callers& operator=(const bench_callers&) = delete;

    /// Starts `callers` concurrent callers. Calls `on_done` once no further turn begins.
    void start(service& bots, int callers, std::function<void()> on_done);
    /// Changes the number of callers for a step that takes `step`. New callers join one after the
    /// other; surplus callers leave.
    void resize(int callers, duration step);
    /// Starts to measure how long the callers wait for chunks. Ignores waits that end before
    /// `from`.
    void begin_step(turn_times::time_point from) { step_.emplace(from); }
    /// Returns the figures of the step so far.
    capacity_step end_step() const;
    /// Ends the running turns and starts no new ones.
    void stop() {
        for (const auto& c : callers_) remove_caller(*c);
    }

    bool have_ended() const noexcept { return calling_ == 0; }
    const bench_totals& totals() const noexcept { return totals_; }

 private:
    struct caller {
        explicit caller(boost::asio::io_context& ioc) : pause(ioc) {}

        boost::asio::steady_timer pause;
        duration begins_after{};
        std::optional<duration> breaks_off_after{};  // applies to the first turn only
        bool is_leaving = false;
        std::shared_ptr<paced_reply> running{};
        turn_times times{};  // of the current turn
    };

    void add_caller(duration begins_after, std::optional<duration> breaks_off_after);
    static void remove_caller(caller& c);
    awaitable<void> run_caller(std::shared_ptr<caller> c);
    awaitable<bool> hold_dialogue(caller& c, const dialogue& d);
    awaitable<bool> wait_until(caller& c, bench_workload::clock::time_point due);
    awaitable<bool> speak_message(caller& c, const dialogue& d, int turn, conversation& talk);
    awaitable<bool> take_turn(caller& c, const dialogue& d, int turn, conversation& talk);
    awaitable<void> speak(caller& c);
    static void plan_interrupt(caller& c, const dialogue& d);
    conversation begin_conversation(const dialogue& d) const;
    void report_end(const caller& c, const reply_result& r);

    boost::asio::io_context& ioc_;
    bench_workload& load_;
    const service_config& settings_;
    const speech_pace pace_;
    const user_speech_rules users_;
    service* bots_ = nullptr;
    std::vector<std::shared_ptr<caller>> callers_;  // except those that are leaving
    int calling_ = 0;
    int joined_ = 0;
    int spoken_ = 0;  // messages
    std::function<void()> on_done_;
    bench_totals totals_;
    std::optional<capacity_totals> step_;
};

}  // namespace tandem::command
