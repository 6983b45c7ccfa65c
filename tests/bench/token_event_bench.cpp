// The time to decode one event: a token in the current server's format, the same token with
// timings, a token in a format that another server might use, and the final event.

#include "token_path.hpp"
#include "wire/stream/token_event_decoder.hpp"

#include <benchmark/benchmark.h>
#include <string>
#include <string_view>

namespace {

std::string_view data_of(std::string_view event) {
    event.remove_prefix(std::string_view("data: ").size());
    event.remove_suffix(std::string_view("\n\n").size());
    return event;
}

void decode_again_and_again(benchmark::State& state, const std::string& event) {
    tandem::wire::token_event out;
    const auto data = data_of(event);
    for (auto _ : state) {
        const auto ec = tandem::wire::decode_token_event(data, out);
        if (ec) state.SkipWithError("the event cannot be read");
        benchmark::DoNotOptimize(out);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(data.size()));
}

void decode_token(benchmark::State& state) {
    decode_again_and_again(state, tandem::testing::token_bytes(" harbour", 117));
}

void decode_token_with_timings(benchmark::State& state) {
    auto event = tandem::testing::token_bytes(" harbour", 117);
    event.insert(event.find("}\n\n"),
                 ",\"timings\":{\"cache_n\":50,\"prompt_n\":7,\"prompt_ms\":12.5,"
                 "\"prompt_per_token_ms\":1.78,\"prompt_per_second\":560.0,\"predicted_n\":117,"
                 "\"predicted_ms\":2031.5,\"predicted_per_token_ms\":17.4}");
    decode_again_and_again(state, event);
}

void decode_token_of_other_order(benchmark::State& state) {
    decode_again_and_again(state,
                           "data: {\"content\":\" harbour\",\"index\":0,\"tokens\":[1117],"
                           "\"stop\":false,\"id_slot\":-1,\"tokens_predicted\":117,"
                           "\"tokens_evaluated\":57}\n\n");
}

void decode_final_event(benchmark::State& state) {
    decode_again_and_again(state, tandem::testing::final_bytes(117));
}

BENCHMARK(decode_token);
BENCHMARK(decode_token_with_timings);
BENCHMARK(decode_token_of_other_order);
BENCHMARK(decode_final_event);

}  // namespace
