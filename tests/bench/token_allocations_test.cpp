// Counts the allocations of a token on its way from the bytes of an answer, or from the socket, to
// its chunk. Buffers of the whole reply grow by doubling. They grow before the count starts, or the
// bound allows for their growth.
//   TANDEM_SHOW_ALLOCATIONS=1 build/release/tests/bench/token_allocations

#include "allocations.hpp"
#include "tandem_mock/server.hpp"
#include "token_path.hpp"

#include "tandem/client.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace {

using tandem::testing::allocation_count;
using tandem::testing::prose;
using tandem::testing::token_bytes;
using tandem::testing::token_like_pieces;
using tandem::testing::token_path;

bool shows() {
    return std::getenv("TANDEM_SHOW_ALLOCATIONS") != nullptr;
}

// The allocations of the tokens of a reply, separately for tokens that ended a chunk.
struct tally {
    std::size_t tokens = 0;
    std::size_t allocated = 0;
    std::size_t chunk_tokens = 0;
    std::size_t chunk_allocated = 0;
};

// The prose, repeated, as the events of one request.
std::vector<std::string> long_stream(std::size_t tokens) {
    const auto texts = token_like_pieces(prose);
    std::vector<std::string> events;
    for (std::size_t i = 0; i < tokens; ++i)
        events.push_back(token_bytes(texts[i % texts.size()], static_cast<int>(i) + 1));
    return events;
}

constexpr std::size_t most_of_unusual_event = 9;
constexpr std::size_t most_of_wake_up = 2;
constexpr std::size_t growth = 200;  // allowed to growing buffers and to timers

// The count starts after the doubling at 4096 tokens, and ends long before the next doubling.
constexpr std::size_t warm_up = 4'200;
constexpr std::size_t counted = 1'000;

// Feeds each event, divided into this number of pieces.
tally count_allocations(std::size_t pieces) {
    token_path path(tandem::detail::uncut);
    const auto events = long_stream(warm_up + counted);
    tally t;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto size = events[i].size() / pieces + 1;
        const auto chunks = path.chunks();
        allocation_count now(i >= warm_up && shows());
        for (std::size_t at = 0; at < events[i].size(); at += size)
            path.feed(std::string_view(events[i]).substr(at, size));
        if (i < warm_up) continue;
        const bool ended = path.chunks() > chunks;
        ++(ended ? t.chunk_tokens : t.tokens);
        (ended ? t.chunk_allocated : t.allocated) += now.count();
    }
    return t;
}

TEST(a_token, allocates_nothing_between_the_ends_of_chunks) {
    const auto t = count_allocations(1);
    EXPECT_EQ(t.allocated, 0u) << "by " << t.tokens << " tokens; " << t.chunk_allocated << " by "
                               << t.chunk_tokens << " with which chunks ended";
}

TEST(a_token, allocates_nothing_if_its_event_comes_in_pieces) {
    const auto t = count_allocations(3);
    EXPECT_EQ(t.allocated, 0u) << "by " << t.tokens << " tokens; " << t.chunk_allocated << " by "
                               << t.chunk_tokens << " with which chunks ended";
}

// Events that are not formatted like those of llama-server are parsed by the JSON library, which
// allocates memory.
TEST(a_token, allocates_little_if_its_event_is_unusual) {
    token_path path(tandem::detail::uncut);
    const auto event_of = [](int n) {
        return fmt::format(
            "data: {{\"content\":\" word\",\"index\":0,\"tokens\":[{}],\"stop\":false,"
            "\"id_slot\":-1,\"tokens_predicted\":{},\"tokens_evaluated\":57}}\n\n",
            1000 + n, n);
    };
    for (int n = 1; n <= 40; ++n) path.feed(event_of(n));
    const auto event = event_of(41);
    const allocation_count now(shows());
    path.feed(event);
    EXPECT_LE(now.count(), most_of_unusual_event);
}

// The allocations of a client's loop, from the first request to the end of a reply of `words` words
// without a sentence end.
std::size_t allocated_by_reply(int words) {
    std::string text;
    for (int i = 0; i < words; ++i) text += " word";
    tandem::mock::server server({.tokens_per_second = 2'000, .replies = {{"", text}}});
    boost::asio::io_context ioc(1);
    tandem::config c;
    c.server.url = server.url();
    c.server.proxy = "none";
    c.pacing.mode = tandem::pacing::stream;
    c.chunking.first_chunk_max_tokens = c.chunking.chunk_max_tokens = 0;
    tandem::client llm(ioc.get_executor(), c);
    auto reply = llm.start("Go");
    bool ended = false;
    const std::function<void()> ask = [&] {
        reply.async_next_chunk([&](auto, const std::optional<tandem::chunk>& piece) {
            ended = !piece;
            if (!piece) return;
            reply.continue_after(piece->id);
            ask();
        });
    };
    ask();
    const allocation_count now(shows());
    while (!ended) ioc.run_one();
    EXPECT_GE(reply.result().usage.generated, words);
    return now.count();
}

// Each token wakes the loop. Asio's strand allocates memory for a queued handler and for its own
// run. The strand cannot reuse this memory on top of a type-erased executor.
TEST(a_token, allocates_what_asio_queues_on_its_way_from_the_socket) {
    const auto few = allocated_by_reply(200);
    const auto many = allocated_by_reply(1'200);
    EXPECT_LE(many - few, 1'000 * most_of_wake_up + growth) << few << " by 200 tokens";
}

}  // namespace
