// The cost of the sentence detector for each token, for replies of three lengths. The counter
// `token` is the time for one token. This time should not depend on the length.

#include "prose.hpp"
#include "text/sentences/spoken_boundary_detector.hpp"

#include <benchmark/benchmark.h>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tandem::testing::prose;
using tandem::testing::token_like_pieces;
using tandem::testing::token_list;
using tandem::text::spoken_boundary_detector;

token_list characters(std::string_view text) {
    token_list tokens;
    for (std::size_t i = 0; i < text.size(); ++i) tokens.push_back(text.substr(i, 1));
    return tokens;
}

/// Reads a reply of state.range(0) tokens, which consists of `tokens` over and over.
void read(benchmark::State& state, const token_list& tokens, std::string_view language = "en") {
    const auto count = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        spoken_boundary_detector detector(language);
        for (std::size_t n = 0, i = 0; n < count; ++n) {
            for (auto v = detector.feed(tokens[i]); v.settled;)
                v = detector.end_sentence_after(*v.settled);
            if (++i == tokens.size()) i = 0;
        }
        benchmark::DoNotOptimize(detector);
    }
    state.counters["token"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(count),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void english_in_word_pieces(benchmark::State& state) {
    read(state, token_like_pieces(prose));
}
void english_in_characters(benchmark::State& state) {
    read(state, characters(prose));
}
void stops_only(benchmark::State& state) {
    read(state, {"a", "."});
}
void opening_brackets_only(benchmark::State& state) {
    read(state, {" (", " a"});
}
void quotes_only(benchmark::State& state) {
    read(state, {"\"", " a", "."});
}
void no_stop_at_all(benchmark::State& state) {
    read(state, {" word"});
}
void undecided_stops(benchmark::State& state) {
    read(state, {" U", ".", "S", ".", " \"", "("});
}
void chinese(benchmark::State& state) {
    read(state, {"今天", "天气", "很", "好", "。", "我们", "去", "公园", "吧", "！"});
}
void english_by_script(benchmark::State& state) {
    read(state, token_like_pieces(prose), "");
}
void russian_by_script(benchmark::State& state) {
    read(state, {"Сегодня", " мы", " гуля", "ли", " весь", " день", ".", " Он", " живёт", "!"}, "");
}

void lengths(benchmark::internal::Benchmark* b) {
    b->Arg(100)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);
}

BENCHMARK(english_in_word_pieces)->Apply(lengths);
BENCHMARK(english_in_characters)->Apply(lengths);
BENCHMARK(stops_only)->Apply(lengths);
BENCHMARK(opening_brackets_only)->Apply(lengths);
BENCHMARK(quotes_only)->Apply(lengths);
BENCHMARK(no_stop_at_all)->Apply(lengths);
BENCHMARK(undecided_stops)->Apply(lengths);
BENCHMARK(chinese)->Apply(lengths);
BENCHMARK(english_by_script)->Apply(lengths);
BENCHMARK(russian_by_script)->Apply(lengths);

}  // namespace
