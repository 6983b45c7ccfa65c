// The time to decode the answer of /tokenize, which is called before each turn of a conversation.

#include "wire/calls/server_messages.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <string>
#include <vector>

namespace {

void read_token_list_of(benchmark::State& state) {
    std::string body = "{\"tokens\":[";
    for (std::int64_t i = 0; i < state.range(0); ++i)
        body += (i > 0 ? "," : "") + std::to_string(1'000 + i * 31 % 120'000);
    body += "]}";
    std::vector<tandem::wire::token_id> ids;
    tandem::diagnostics diag;
    for (auto _ : state) {
        const auto ec = tandem::wire::decode_tokens({200, body}, ids, diag);
        if (ec) state.SkipWithError("the list cannot be read");
        benchmark::DoNotOptimize(ids);
    }
    state.counters["id"] =
        benchmark::Counter(static_cast<double>(state.iterations() * state.range(0)),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(read_token_list_of)->Arg(100)->Arg(4'000)->Unit(benchmark::kMicrosecond);

}  // namespace
