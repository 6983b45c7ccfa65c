#include "contract/contract_fixture.hpp"
#include "support/process.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>

// Thousands of cuts in a row leave nothing behind.
namespace tandem::testing {
namespace {

class many_cuts : public contract {
 protected:
    // TANDEM_CUTS sets another number.
    static int wanted_cuts() {
        const char* wanted = std::getenv("TANDEM_CUTS");
        return wanted ? std::atoi(wanted) : 5000;
    }

    // Says dialogues in small chunks until so many cuts are done; gives the number of cuts.
    int cut(client& llm, int wanted) {
        int cuts = 0;
        while (cuts < wanted && !HasFatalFailure()) {
            const auto& turn = talk_turns()[next_++ % talk_turns().size()];
            cuts += cuts_of(llm, turn);
        }
        return cuts;
    }

 private:
    int cuts_of(client& llm, const talk_turn& turn) {
        consumer said(llm.start(turn.prompt));
        loop().run_to_end(said);
        EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
        [&] { ASSERT_EQ(said.text(), turn.reply) << turn.name; }();
        return said.result().metrics.cuts;
    }

    std::size_t next_ = 0;
};
// The mock server is no process of its own: its memory would count as ours.
INSTANTIATE_TEST_SUITE_P(one, many_cuts, ::testing::Values(server_kind::real), name_of);

TEST_P(many_cuts, leave_nothing_behind) {
    auto c = client_config();
    c.logger = {};
    c.first_chunk_min_tokens = 0;
    c.first_chunk_max_tokens = 1;
    c.chunk_max_tokens = 2;
    client llm(loop().ioc.get_executor(), c);
    const int warm_up = cut(llm, 300);
    ASSERT_TRUE(probe().wait_until([this] { return slot_is_idle(0) && slot_is_idle(1); }));
    const auto descriptors = open_descriptors();
    const auto memory = resident_bytes();
    const auto begun = std::chrono::steady_clock::now();

    const int cuts = cut(llm, wanted_cuts());

    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    const auto growth =
        static_cast<long>(resident_bytes() / 1024) - static_cast<long>(memory / 1024);
    std::cout << warm_up << " + " << cuts << " cuts, the latter in " << took.count()
              << " s; memory grew by " << growth << " KiB\n";
    EXPECT_GE(cuts, wanted_cuts());
    EXPECT_TRUE(probe().wait_until([this] { return slot_is_idle(0) && slot_is_idle(1); }));
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_LT(growth, 8 * 1024);
}

}  // namespace
}  // namespace tandem::testing
