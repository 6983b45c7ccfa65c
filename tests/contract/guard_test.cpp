#include "contract/contract_fixture.hpp"
#include "slots/server_build_faults.hpp"

#include <algorithm>
#include <deque>
#include <iostream>

// With a guard, the servers' logs must show that slots are used in turn, and never within their
// guard. The tests without a guard and the test of verified cuts check what the client reports.
namespace tandem::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Several servers run in parallel, so that the test does not wait for one guard after another.
constexpr std::size_t servers = 8;
constexpr milliseconds reuse_guard_time = std::chrono::seconds(2);
// The server notices a cut up to this much later than the client makes it. In the server's log, a
// slot may therefore rest for less than the guard.
constexpr milliseconds notice_time = reuse_guard_time / 4;

// Runs one turn after another on its own server.
class guarded_speaker {
 public:
    guarded_speaker(boost::asio::io_context& ioc, tandem::config c)
        : llm_(ioc.get_executor(), [&] {
              c.server.url = server_.url();
              c.server.reuse_guard = reuse_guard_time;
              return c;
          }()) {}

    void add(const talk_turn& turn) { turns_.push_back(&turn); }

    // Starts the next reply if the current one has ended. Returns true if no reply is left.
    bool advance() {
        if (said_ && !said_->ended()) return false;
        if (said_) check(*turns_.front());
        if (turns_.empty()) return true;
        said_.emplace(llm_.start(turns_.front()->prompt));
        return false;
    }

    std::vector<logged_slot_use> uses() const { return server_.finished_uses(); }
    int requests() const { return requests_; }

 private:
    void check(const talk_turn& turn) {
        EXPECT_EQ(said_->text(), turn.reply) << turn.name;
        EXPECT_EQ(said_->result().finish_reason, finish_reason::eos);
        requests_ += said_->result().metrics.requests;
        said_.reset();
        turns_.pop_front();
    }

    real_server server_;
    client llm_;
    std::deque<const talk_turn*> turns_;
    std::optional<consumer> said_;
    int requests_ = 0;
};

// The shortest time between two uses of one slot.
microseconds min_rest(const std::vector<logged_slot_use>& uses) {
    auto shortest = microseconds::max();
    for (std::size_t i = 0; i < uses.size(); ++i)
        for (std::size_t k = i + 1; k < uses.size(); ++k) {
            if (uses[k].slot != uses[i].slot) continue;
            shortest = std::min(shortest, uses[k].start - uses[i].end.value());
            break;
        }
    return shortest;
}

// Two uses in a row have the same slot only if its guard has elapsed. This may happen after two
// uses in quick succession: when the client chooses the next slot, both guards may have elapsed.
void expect_in_turn(const std::vector<logged_slot_use>& uses) {
    ASSERT_GE(uses.size(), 2u);
    EXPECT_EQ(uses[0].slot, 0);
    for (std::size_t i = 1; i < uses.size(); ++i) {
        if (uses[i].slot == uses[i - 1].slot) {
            EXPECT_GE(uses[i].start - uses[i - 1].end.value(), reuse_guard_time - notice_time)
                << "use " << i;
        }
    }
}

class guard_contract : public contract {};
INSTANTIATE_TEST_SUITE_P(one, guard_contract, ::testing::Values(server_kind::real), name_of);

TEST_P(guard_contract, all_dialogues_use_the_slots_in_turn_and_none_within_its_guard) {
    std::vector<std::unique_ptr<guarded_speaker>> speakers;
    for (std::size_t i = 0; i < servers; ++i)
        speakers.push_back(std::make_unique<guarded_speaker>(loop().ioc, client_config()));
    for (std::size_t i = 0; i < talk_turns().size(); ++i)
        speakers[i % servers]->add(talk_turns()[i]);
    const auto all_done = [&] {
        return std::count_if(speakers.begin(), speakers.end(),
                             [](auto& s) { return s->advance(); }) == servers;
    };
    ASSERT_TRUE(loop().run_until(all_done, std::chrono::minutes(3)));

    auto shortest = microseconds::max();
    std::size_t uses_seen = 0;
    for (const auto& s : speakers) {
        const auto uses = s->uses();
        EXPECT_EQ(uses.size(), static_cast<std::size_t>(s->requests()));
        expect_in_turn(uses);
        uses_seen += uses.size();
        shortest = std::min(shortest, min_rest(uses));
    }
    std::cout << uses_seen << " uses, shortest rest of a slot " << shortest.count() / 1000
              << " ms\n";
    EXPECT_GE(shortest, reuse_guard_time - notice_time);
}

class cut_contract : public contract {};
TANDEM_CONTRACT(cut_contract);

TEST_P(cut_contract, a_sound_build_needs_no_guard_over_interrupts_in_a_row) {
    const auto build = probe().get("/props")->parsed().at("build_info").get<std::string>();
    if (!slots::is_safe_for_instant_reuse(build)) GTEST_SKIP() << build << " keeps the guard";
    auto c = client_config();
    c.server.reuse_guard = auto_guard;
    client llm(loop().ioc.get_executor(), c, kept_log());
    const auto& turn = talk_turn_of("soup-recipe");
    for (int i = 0; i < 20; ++i) {
        consumer said(llm.start(turn.prompt),
                      [](consumer& self, const chunk&) { self.interrupt(); });
        ASSERT_TRUE(loop().run_to_end(said));
        EXPECT_EQ(said.result().finish_reason, finish_reason::interrupted);
        EXPECT_EQ(said.result().metrics.guard_waits, 0);
        EXPECT_EQ(said.result().metrics.slot, 0) << "slot 0 holds the prompt";
    }
    consumer last(llm.start(turn.prompt));
    ASSERT_TRUE(loop().run_to_end(last));
    EXPECT_EQ(last.text(), turn.reply);
    EXPECT_EQ(last.result().metrics.guard_waits, 0);
    EXPECT_EQ(log().count(log_level::info, "reuse guard: 0 ms, build " + build), 1u);
}

TEST_P(cut_contract, a_verified_cut_reports_how_long_the_slot_took_to_get_idle) {
    auto c = client_config();
    c.server.verify_cut = true;
    client llm(loop().ioc.get_executor(), c, kept_log());
    consumer said(llm.start(talk_turn_of("soup-recipe").prompt), consumer::do_not_continue);
    ASSERT_TRUE(
        loop().run_until([this] { return log().count(log_level::debug, "slot 0: idle") == 1; }));
    said.interrupt();
    ASSERT_TRUE(loop().run_to_end(said));
    const auto& metrics = said.result().metrics;
    EXPECT_EQ(metrics.verified_cuts, 1);
    EXPECT_GE(metrics.cancel_to_idle_ms, 20);
    std::cout << "from the cut until the slot was seen idle: " << metrics.cancel_to_idle_ms
              << " ms\n";
    EXPECT_EQ(log().count(log_level::warning, "slot 0"), 0u);
}

}  // namespace
}  // namespace tandem::testing
