// The time that the chunker and its detector take per token, for each rule that ends chunks.

#include "prose.hpp"
#include "text/chunks/chunker.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include <benchmark/benchmark.h>
#include <cstddef>

namespace {

namespace text = tandem::text;

// Reads a reply of state.range(0) tokens, and takes each chunk as soon as it is ready.
void chunk_prose(benchmark::State& state, tandem::boundary_rule rule, text::chunk_limits limits) {
    const auto tokens = tandem::testing::token_like_pieces(tandem::testing::prose);
    const auto count = static_cast<std::size_t>(state.range(0));
    std::size_t chunks = 0;
    for (auto _ : state) {
        text::chunker chunker(text::make_boundary_detector(rule, "en"), limits);
        for (std::size_t n = 0; n < count; ++n) {
            chunker.feed(tokens[n % tokens.size()]);
            while (chunker.current() == text::chunker::status::ready) {
                benchmark::DoNotOptimize(chunker.take_chunk());
                ++chunks;
            }
        }
    }
    state.counters["token"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(count),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    state.counters["chunks"] =
        static_cast<double>(chunks) / static_cast<double>(state.iterations());
}

void chunk_by_spoken_sentences(benchmark::State& state) {
    chunk_prose(state, tandem::boundary_rule::spoken, {});
}
void chunk_by_classic_sentences(benchmark::State& state) {
    chunk_prose(state, tandem::boundary_rule::classic, {});
}
void chunk_at_limits_of_five_tokens(benchmark::State& state) {
    chunk_prose(state, tandem::boundary_rule::spoken, {.first_max_tokens = 5, .max_tokens = 5});
}
void chunk_by_token(benchmark::State& state) {
    chunk_prose(state, tandem::boundary_rule::spoken, {.by_token = true});
}

BENCHMARK(chunk_by_spoken_sentences)->Arg(1'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(chunk_by_classic_sentences)->Arg(1'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(chunk_at_limits_of_five_tokens)->Arg(1'000)->Unit(benchmark::kMicrosecond);
BENCHMARK(chunk_by_token)->Arg(1'000)->Unit(benchmark::kMicrosecond);

}  // namespace
