// What the sentence detector costs for each token, for replies of three lengths. The counter
// `token` is the time for one; it should be the same whatever the length.

#include "text/spoken_boundary.hpp"

#include <benchmark/benchmark.h>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tandem::text::spoken_boundary;

constexpr std::string_view prose =
    "The ferry to the island leaves at 9:15 a.m. from the north pier. Mr. Hale sells tickets "
    "there, "
    "but he only takes cash. A return costs $12.50 for adults and half of that for children! Would "
    "you like me to book two seats? The crossing takes about forty minutes, e.g. longer in a "
    "storm. "
    "On board you will find a small cafe, which serves tea, soup, etc. during the trip. \"Sit on "
    "the "
    "left side,\" my neighbour always says. \"You see the seals from there.\" Bring a warm coat "
    "(the "
    "wind is cold even in July), and something to read. When you arrive, walk up the hill past the "
    "old church. The path is steep; it is worth the effort. From the top you can see the whole "
    "coast, and on a clear day the lights of the town. Dr. Imre's clinic is the white house on the "
    "right. Please call ahead if you need a wheelchair... We will gladly help you. ";

using token_list = std::vector<std::string_view>;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Words with the space before them, and single marks.
token_list word_pieces(std::string_view text) {
    token_list tokens;
    while (!text.empty()) {
        std::size_t n = text.front() == ' ' ? 1 : 0;
        while (n < text.size() && is_word(text[n])) ++n;
        if (n == 0) n = 1;
        tokens.push_back(text.substr(0, n));
        text.remove_prefix(n);
    }
    return tokens;
}

token_list characters(std::string_view text) {
    token_list tokens;
    for (std::size_t i = 0; i < text.size(); ++i) tokens.push_back(text.substr(i, 1));
    return tokens;
}

/// Reads a reply of as many tokens as the benchmark says, again and again the same ones.
void read(benchmark::State& state, const token_list& tokens, std::string_view language = "en") {
    const auto count = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        spoken_boundary detector(language);
        for (std::size_t n = 0, i = 0; n < count; ++n) {
            for (auto v = detector.feed(tokens[i]); v.settled;) v = detector.consume(*v.settled);
            if (++i == tokens.size()) i = 0;
        }
        benchmark::DoNotOptimize(detector);
    }
    state.counters["token"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(count),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void english_in_word_pieces(benchmark::State& state) {
    read(state, word_pieces(prose));
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
    read(state, word_pieces(prose), "");
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
