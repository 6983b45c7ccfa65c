#include "contract/contract_fixture.hpp"
#include "support/process.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <utility>

// Many cuts in a row leave no busy slots behind, and leak neither descriptors nor memory.
namespace tandem::testing {
namespace {

class many_cuts : public contract {
 protected:
    // TANDEM_CUTS overrides the number of cuts.
    static int wanted_cuts() {
        const char* wanted = std::getenv("TANDEM_CUTS");
        return wanted ? std::atoi(wanted) : 1000;
    }

    // Chunks of one or two tokens.
    tandem::config small_chunks(duration guard) {
        auto c = client_config();
        c.server.reuse_guard = guard;
        c.chunking.first_chunk_min_tokens = 0;
        c.chunking.first_chunk_max_tokens = 1;
        c.chunking.chunk_max_tokens = 2;
        return c;
    }

    // Runs dialogues until `wanted` cuts are done. Returns the number of cuts.
    int cut(client& llm, int wanted) {
        int cuts = 0;
        while (cuts < wanted && !HasFatalFailure()) {
            const auto& turn = talk_turns()[next_++ % talk_turns().size()];
            cuts += cuts_of(llm, turn);
        }
        return cuts;
    }

    void expect_nothing_left_of(int wanted, const tandem::config& c) {
        client llm(loop().ioc.get_executor(), c);
        const int warm_up = cut(llm, 300);
        ASSERT_TRUE(all_idle());
        const auto descriptors = open_descriptors();
        const auto memory = resident_bytes();
        const auto begun = std::chrono::steady_clock::now();

        const int cuts = cut(llm, wanted);

        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        const auto growth =
            static_cast<long>(resident_bytes() / 1024) - static_cast<long>(memory / 1024);
        std::cout << warm_up << " + " << cuts << " cuts, the latter in " << took.count()
                  << " s; memory grew by " << growth << " KiB\n";
        EXPECT_GE(cuts, wanted);
        EXPECT_TRUE(all_idle());
        EXPECT_EQ(open_descriptors(), descriptors);
        EXPECT_LT(growth, 2 * wanted) << "KiB";
    }

    int chunks() const { return chunks_; }
    // The number of chunks that came from a different slot than the previous chunk.
    int turns() const { return turns_; }

 private:
    bool all_idle() {
        return probe().wait_until([this] { return slot_is_idle(0) && slot_is_idle(1); });
    }

    int cuts_of(client& llm, const talk_turn& turn) {
        consumer said(llm.start(turn.prompt));
        loop().run_to_end(said);
        EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
        [&] { ASSERT_EQ(said.text(), turn.reply) << turn.name; }();
        for (const auto& piece : said.chunks()) {
            ++chunks_;
            if (std::exchange(last_slot_, piece.metrics.slot) != piece.metrics.slot) ++turns_;
        }
        return said.result().metrics.cuts;
    }

    std::size_t next_ = 0;
    int chunks_ = 0;
    int turns_ = 0;
    int last_slot_ = -1;
};
// The test measures the memory of its process, which would include the memory of a mock server.
INSTANTIATE_TEST_SUITE_P(one, many_cuts, ::testing::Values(server_kind::real), name_of);

TEST_P(many_cuts, leave_nothing_behind) {
    expect_nothing_left_of(wanted_cuts(), small_chunks({}));
}

TEST_P(many_cuts, with_slots_in_turn_leave_nothing_behind) {
    // The guard is longer than a chunk takes, so the slot of the previous chunk is hardly ever
    // ready.
    expect_nothing_left_of(wanted_cuts(), small_chunks(std::chrono::milliseconds(10)));
    EXPECT_GT(turns(), chunks() * 9 / 10);
}

}  // namespace
}  // namespace tandem::testing
