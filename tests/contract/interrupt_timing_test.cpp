#include "contract/contract_fixture.hpp"
#include "support/run_settings.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <iostream>
#include <optional>

// Interrupts in quick succession: how long the next reply waits for the guard, and when its first
// token arrives. The tests check the behavior and print the times. For a full measurement, set
// TANDEM_INTERRUPTS=50 TANDEM_INTERRUPT_EVERY_MS=500 TANDEM_GUARD_MS=2000.
namespace tandem::testing {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using test::number_from_environment;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

/// The time of the first event of this kind, since the start of the reply.
std::chrono::nanoseconds time_of(const reply_result& r, timeline_event::kind what) {
    for (const auto& e : r.timeline)
        if (e.what == what) return std::chrono::nanoseconds(e.at_ns);
    ADD_FAILURE() << "no " << to_string(what) << " in the timeline";
    return {};
}

class interrupt_timing : public contract {
 protected:
    struct figures {
        std::vector<double> first_token;
        int guard_waits = 0;
        double guard_wait_ms = 0;
    };

    const int count_ = static_cast<int>(number_from_environment("TANDEM_INTERRUPTS", 12));
    const milliseconds every_{number_from_environment("TANDEM_INTERRUPT_EVERY_MS", 50)};

    void wait_until(clock::time_point t) {
        boost::asio::steady_timer timer(loop().ioc, t);
        bool over = false;
        timer.async_wait([&](error_code) { over = true; });
        loop().run_until([&] { return over; });
    }

    /// Runs one reply after another at a fixed pace. With `interrupts`, each reply is interrupted
    /// during its first chunk. Otherwise, each reply ends by itself.
    figures talk(client& llm, bool interrupts) {
        figures f;
        const auto& turns = talk_turns();
        for (int i = 0; i < count_; ++i) {
            const auto started = clock::now();
            consumer said(llm.start(turns[static_cast<std::size_t>(i) % turns.size()].prompt),
                          interrupts ? consumer::do_not_continue : consumer::continue_at_once);
            wait_until(started + every_);
            loop().run_until([&] { return !said.chunks().empty(); });
            if (interrupts) said.interrupt();
            loop().run_to_end(said);
            f.first_token.push_back(
                to_ms(time_of(said.result(), timeline_event::kind::first_token)));
            f.guard_waits += said.result().metrics.guard_waits;
            f.guard_wait_ms += said.result().metrics.guard_wait_ms;
        }
        return f;
    }
};
TANDEM_CONTRACT(interrupt_timing);

TEST_P(interrupt_timing, no_guard_is_waited_for_on_a_sound_build) {
    auto c = client_config();
    c.server.reuse_guard = auto_guard;
    client llm(loop().ioc.get_executor(), c, kept_log());
    talk(llm, false);  // fills the slots, so that their initial contents do not matter
    const auto whole = talk(llm, false);
    const auto interrupted = talk(llm, true);
    EXPECT_EQ(interrupted.guard_waits, 0);
    EXPECT_EQ(interrupted.guard_wait_ms, 0);
    std::cout << count_ << " interrupts every " << every_.count()
              << " ms: first token after an interrupt p50 " << median(interrupted.first_token)
              << " ms, after a whole reply " << median(whole.first_token) << " ms\n";
}

// Each reply uses one slot, which is free again when the guard after the reply's cut has elapsed.
TEST_P(interrupt_timing, a_guard_is_waited_for_as_long_as_the_arithmetic_says) {
    const milliseconds guard(number_from_environment("TANDEM_GUARD_MS", 200));
    auto c = client_config();
    c.server.reuse_guard = guard;
    client llm(loop().ioc.get_executor(), c, kept_log());
    std::optional<clock::time_point> cut_at[2];
    double largest = 0;
    for (int i = 0; i < count_; ++i) {
        // The timeline of the reply starts at an unknown moment between `before` and `after`.
        const auto before = clock::now();
        consumer said(llm.start(talk_turn_of("soup-recipe").prompt), consumer::do_not_continue);
        loop().ioc.poll();
        const auto after = clock::now();
        loop().run_until([&] { return !said.chunks().empty(); });
        wait_until(before + every_);
        said.interrupt();
        loop().run_to_end(said);
        const auto slot = static_cast<std::size_t>(said.chunks()[0].metrics.slot);
        const auto wanted = time_of(said.result(), timeline_event::kind::slot_wait);
        const auto sent = time_of(said.result(), timeline_event::kind::request);
        if (cut_at[slot]) {
            EXPECT_GE(after + sent, *cut_at[slot] + guard) << "a slot was used within its guard";
            const auto expected = std::max(*cut_at[slot] + guard, before + wanted);
            largest = std::max(largest, to_ms(before + sent - expected));
        }
        cut_at[slot] = before + time_of(said.result(), timeline_event::kind::cut);
    }
    std::cout << count_ << " interrupts with a guard of " << guard.count()
              << " ms: waits are at most " << largest << " ms longer than the arithmetic says\n";
}

}  // namespace
}  // namespace tandem::testing
