// Recordings of a real server are played back without the server.

#include "chaos/proxied_fixture.hpp"
#include "support/reply_runner.hpp"
#include "support/talk.hpp"

#include "tandem/recording.hpp"

#include <gmock/gmock.h>

namespace tandem::testing {
namespace {

/// The result of a run: the chunks of all turns, and how often replies continued after a failure.
struct said_turns {
    std::vector<std::string> chunks;
    int retries = 0;
};

class recorded_servers : public proxied_servers {
 protected:
    void SetUp() override {
        proxied_servers::SetUp();
        if (!IsSkipped() && !HasFatalFailure()) start_proxied(1, {.seed = seed()});
    }

    said_turns say_all(const tandem::config& c, instruments i) {
        reply_runner loop;
        client llm(loop.ioc.get_executor(), c, std::move(i));
        said_turns all;
        for (const auto& turn : turns_) {
            consumer said(llm.start(turn.prompt));
            EXPECT_TRUE(loop.run_to_end(said));
            EXPECT_EQ(said.text(), turn.reply) << said.result().diagnostics.to_string();
            for (const auto& piece : said.chunks())
                all.chunks.push_back(turn.name + ": " + piece.text);
            all.retries += said.result().metrics.retries;
        }
        return all;
    }
    tandem::config proxied_config() {
        auto c = impatient(service_of(urls())).client;
        c.server.url = proxy(0).url();
        c.generation.temperature = 0;
        c.pacing.mode = pacing::strict;
        return c;
    }
    said_turns record(std::string& lines) {
        auto i = observed();
        i.record =
            std::make_shared<recorder>([&](std::string_view line) { lines.append(line) += '\n'; });
        return say_all(proxied_config(), std::move(i));
    }
    said_turns play(const std::string& lines, const tandem::config& c) {
        error_code ec;
        diagnostics diag;
        auto i = observed();
        i.play = recording::read(lines, ec, diag);
        EXPECT_TRUE(i.play) << diag.client_message;
        i.play->set_speed(0);
        return say_all(c, std::move(i));
    }
    // Limits the number of turns, because each turn takes a long time on a bad network.
    void keep_turns(std::size_t count) { turns_.resize(count); }
    tandem::config of_small_chunks() {
        auto c = proxied_config();
        c.chunking.first_chunk_max_tokens = 4;
        c.chunking.chunk_max_tokens = 6;
        return c;
    }

 private:
    std::vector<talk_turn> turns_ = talk_turns();
};

TEST_F(recorded_servers, are_played_to_the_same_chunks) {
    std::string lines;
    const auto then = record(lines);
    EXPECT_EQ(play(lines, proxied_config()).chunks, then.chunks);
    EXPECT_GT(play(lines, of_small_chunks()).chunks.size(), then.chunks.size());
}

TEST_F(recorded_servers, behind_a_bad_network_are_played_to_the_same_chunks_and_failures) {
    keep_turns(20);
    make_network_bad(false);
    std::string lines;
    const auto then = record(lines);
    std::cout << fault_counts() << "; " << then.chunks.size() << " chunks, " << then.retries
              << " retries\n";
    EXPECT_GT(then.retries, 0);
    const auto again = play(lines, proxied_config());
    EXPECT_EQ(again.chunks, then.chunks);
    EXPECT_EQ(again.retries, then.retries);
    EXPECT_GT(play(lines, of_small_chunks()).chunks.size(), then.chunks.size());
}

}  // namespace
}  // namespace tandem::testing
