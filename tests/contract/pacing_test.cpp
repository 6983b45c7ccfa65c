#include "contract/contract_fixture.hpp"
#include "support/prefilled_talk.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/steady_timer.hpp>

#include <random>
#include <string_view>

// Replies in every pacing mode, with both servers.
namespace tandem::testing {
namespace {

constexpr pacing modes[] = {pacing::automatic, pacing::strict, pacing::warm, pacing::ahead,
                            pacing::stream};

class pacing_contract : public contract {
 protected:
    tandem::config paced(pacing mode) {
        auto c = client_config();
        c.pacing.mode = mode;
        c.pacing.held_chunks_max = 2;  // so that even the stream mode cuts
        return c;
    }

    void expect_uncut_texts(const tandem::config& c) {
        client llm(loop().ioc.get_executor(), c, kept_log());
        for (const auto& turn : talk_turns()) {
            SCOPED_TRACE(turn.name + " in mode " + std::string(to_string(*c.pacing.mode)));
            consumer said(llm.start(turn.prompt));
            ASSERT_TRUE(loop().run_to_end(said));
            EXPECT_EQ(said.text(), turn.reply);
        }
    }

    /// Interrupts a reply after the time `after`. The text that was handed over and the unspoken
    /// text must be the beginning of the whole reply.
    void say_and_interrupt(client& llm, const talk_turn& turn, std::chrono::microseconds after) {
        consumer said(llm.start(turn.prompt));
        boost::asio::steady_timer timer(loop().ioc, after);
        timer.async_wait([&](error_code ec) {
            if (!ec) said.interrupt();
        });
        ASSERT_TRUE(loop().run_to_end(said));
        const auto& result = said.result();
        EXPECT_FALSE(said.error()) << result.diagnostics.to_string();
        EXPECT_TRUE(turn.reply.starts_with(result.text + result.unspoken_text))
            << result.text << "|" << result.unspoken_text;
        if (result.finish_reason != finish_reason::interrupted) {
            EXPECT_EQ(said.text(), turn.reply);
        }
    }
};
TANDEM_CONTRACT(pacing_contract);

TEST_P(pacing_contract, every_mode_says_the_uncut_text) {
    for (const auto mode : modes) expect_uncut_texts(paced(mode));
}

TEST_P(pacing_contract, every_mode_says_the_uncut_text_with_few_tokens_a_chunk) {
    for (const auto mode : modes) {
        auto c = paced(mode);
        c.chunking.first_chunk_min_tokens = 0;
        c.chunking.first_chunk_max_tokens = 3;
        c.chunking.chunk_max_tokens = 5;
        expect_uncut_texts(c);
    }
}

TEST_P(pacing_contract, interrupts_at_any_moment_leave_every_mode_its_text) {
    std::mt19937 random(4);
    for (const auto mode : modes) {
        client llm(loop().ioc.get_executor(), paced(mode), kept_log());
        for (const auto& turn : talk_turns()) {
            SCOPED_TRACE(turn.name + " in mode " + std::string(to_string(mode)));
            say_and_interrupt(
                llm, turn,
                std::chrono::microseconds(std::uniform_int_distribution<int>(0, 60'000)(random)));
        }
        EXPECT_TRUE(probe().wait_until([this] { return slot_is_idle(0) && slot_is_idle(1); }));
    }
}

TEST_P(pacing_contract, a_short_stream_is_one_request) {
    auto c = paced(pacing::stream);
    c.pacing.held_chunks_max = 16;
    client llm(loop().ioc.get_executor(), c, kept_log());
    consumer said(llm.start(talk_turn_of("soup-recipe").prompt));
    ASSERT_TRUE(loop().run_to_end(said));
    EXPECT_GT(said.chunks().size(), 3u);
    EXPECT_EQ(said.result().metrics.requests, 1);
    EXPECT_EQ(said.result().metrics.cuts, 0);
}

// Expects that each request uses the slot that was prefilled last. This may be either slot: both
// are free if a slow client finds two chunks in one answer.
void expect_requests_where_prefilled(const captured_log& log) {
    constexpr std::string_view request = "request to slot ", prefilling = "prefilling slot ";
    char prefilled = '0';
    log.expect_each([&](std::string_view line) {
        if (const auto at = line.find(prefilling); at != line.npos)
            prefilled = line[at + prefilling.size()];
        const auto at = line.find(request);
        return at == line.npos || line[at + request.size()] == prefilled;
    });
}

// Each chunk is continued after the slot for the next chunk has been prefilled, as is normal after
// a spoken sentence.
TEST_P(pacing_contract, a_prefilled_slot_evaluates_one_token_for_the_next_chunk) {
    auto c = paced(pacing::warm);
    c.server.reuse_guard = std::chrono::milliseconds(300);
    captured_log log;
    client llm(loop().ioc.get_executor(), c, {.log = log.logger()});
    const auto& turn = talk_turn_of("soup-recipe");
    const auto said = receive_prefilled_reply(loop(), log, llm.start(turn.prompt), turn.reply);
    EXPECT_EQ(said.text(), turn.reply);
    ASSERT_GT(said.chunks().size(), 3u);
    for (std::size_t i = 1; i < said.chunks().size(); ++i)
        EXPECT_EQ(said.chunks()[i].metrics.evaluated, 1) << "chunk " << i;
    expect_requests_where_prefilled(log);
    EXPECT_EQ(said.result().metrics.guard_waits, 0);
    EXPECT_GT(said.result().usage.warmed, 0);
}

}  // namespace
}  // namespace tandem::testing
