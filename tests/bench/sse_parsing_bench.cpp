// The time to find an event in the bytes of a stream, in pieces of several sizes as sockets deliver
// them.

#include "token_path.hpp"
#include "wire/stream/sse_parser.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

namespace wire = tandem::wire;

std::string joined_stream() {
    std::string bytes;
    for (const auto& event : tandem::testing::prose_stream()) bytes += event;
    return bytes;
}

void tell_rates(benchmark::State& state, std::int64_t events, std::size_t bytes) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
    state.counters["event"] =
        benchmark::Counter(static_cast<double>(state.iterations() * events),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// The argument is the size of a piece in bytes.
void parse_stream_in_pieces(benchmark::State& state) {
    const auto stream = joined_stream();
    const auto size = std::min(static_cast<std::size_t>(state.range(0)), stream.size());
    std::int64_t events = 0;
    wire::sse_parser parser;
    wire::sse_event event;
    for (auto _ : state) {
        events = 0;
        for (std::size_t at = 0; at < stream.size(); at += size) {
            parser.feed(std::string_view(stream).substr(at, size));
            while (parser.next(event)) ++events;
        }
        benchmark::DoNotOptimize(event);
    }
    tell_rates(state, events, stream.size());
}

BENCHMARK(parse_stream_in_pieces)->Arg(16)->Arg(100)->Arg(1448)->Arg(16'384);

}  // namespace
