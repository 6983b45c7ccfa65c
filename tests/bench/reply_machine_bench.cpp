// Measures how long the reply machine takes for a token in mid-sentence and for a whole reply that
// is cut at each chunk. Also measures a token on its whole path, from the bytes of the answer to
// the chunk.

#include "token_path.hpp"

#include <benchmark/benchmark.h>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tandem::testing::token_path;

// The events of a long sentence without an end.
std::vector<std::string> endless_sentence() {
    std::vector<std::string> events;
    for (int n = 1; n <= 1'000; ++n)
        events.push_back(tandem::testing::token_bytes(n % 7 == 0 ? " harbour" : " and", n));
    return events;
}

void tell_token_rate(benchmark::State& state, std::size_t tokens) {
    state.counters["token"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(tokens),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// Measures the whole path, starting at the bytes of each event.
void read_bytes(benchmark::State& state, const std::vector<std::string>& events) {
    const auto last = tandem::testing::final_bytes(static_cast<int>(events.size()));
    int chunks = 0;
    for (auto _ : state) {
        token_path path(tandem::detail::uncut);
        for (const auto& event : events) path.feed(event);
        path.feed(last);
        if (!path.ended()) state.SkipWithError("the reply has not ended");
        chunks = path.chunks();
    }
    tell_token_rate(state, events.size());
    state.counters["chunks"] = chunks;
}

void bytes_of_one_long_sentence(benchmark::State& state) {
    read_bytes(state, endless_sentence());
}
void bytes_of_a_whole_reply(benchmark::State& state) {
    read_bytes(state, tandem::testing::prose_stream());
}

// The following benchmarks measure only the machine.
void whole_reply_that_is_cut_at_each_chunk(benchmark::State& state) {
    const auto tokens = tandem::testing::token_like_pieces(tandem::testing::prose);
    int cuts = 0;
    for (auto _ : state) {
        token_path path({});
        for (const auto text : tokens) path.read(text);
        cuts = path.cuts();
    }
    tell_token_rate(state, tokens.size());
    state.counters["cuts"] = cuts;
}

void one_token_in_mid_sentence(benchmark::State& state) {
    constexpr std::size_t tokens = 80;  // too few to reach the limit of a chunk
    for (auto _ : state) {
        state.PauseTiming();
        token_path path(tandem::detail::uncut);
        for (const auto* text : {" Twelve", " words", " are", " enough", " for", " the", " first",
                                 " chunk", " of", " a", " reply", ".", " And"})
            path.read(text);
        state.ResumeTiming();
        for (std::size_t n = 0; n < tokens; ++n) path.read(" harbour");
    }
    tell_token_rate(state, tokens);
}

BENCHMARK(one_token_in_mid_sentence);
BENCHMARK(whole_reply_that_is_cut_at_each_chunk)->Unit(benchmark::kMicrosecond);
BENCHMARK(bytes_of_one_long_sentence)->Unit(benchmark::kMicrosecond);
BENCHMARK(bytes_of_a_whole_reply)->Unit(benchmark::kMicrosecond);

}  // namespace
