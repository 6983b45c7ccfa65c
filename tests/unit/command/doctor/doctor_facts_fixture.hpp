#pragma once

#include "probe/doctor_facts.hpp"

#include <utility>

namespace tandem::testing {

/// The facts about a healthy server: two slots, a sound build, no guard.
inline command::doctor_facts good_facts() {
    using namespace command;
    doctor_facts f;
    f.url = "http://127.0.0.1:8080";
    f.settings.slots = 2;
    f.settings.reuse_guard = duration{};
    f.settings.pacing = "auto";
    f.health.done = f.props.done = f.slots.done = f.chat_template.done = f.measured.done = true;
    f.call_mark = {true, {}, "<tool_call>"};
    f.thinking.done = true;
    f.round_trip_ms = 0.5;
    f.props.value.total_slots = 2;
    f.props.value.context_per_slot = 8192;
    f.props.value.model = "talk.gguf";
    f.props.value.model_path = "/models/talk.gguf";
    f.props.value.build_info = "b11669-Debian";
    f.slots.value = {{.id = 0, .context = 8192}, {.id = 1, .context = 8192}};
    f.measured.value = {.median = {.first_token_cold_ms = 120,
                                   .first_token_warm_ms = 12,
                                   .prompt_tokens_per_second = 2500,
                                   .tokens_per_second = 45.25,
                                   .cut_to_idle_ms = 22,
                                   .tokens_after_cut = 1,
                                   .same_slot = cache_usage{279, 1},
                                   .other_slot = cache_usage{0, 281},
                                   .prefilled_slot = cache_usage{281, 1},
                                   .first_slot_again = cache_usage{280, 3},
                                   .after_change = cache_usage{283, 1},
                                   .first_token_after_change_ms = 14},
                        .rounds = 3,
                        .requests = 24,
                        .prompt_tokens = 256,
                        .slots = {0, 1}};
    return f;
}

/// The facts about a server that answered the first request with this error.
inline command::doctor_facts facts_of_fault(errc code, std::string words, int http_status = 0) {
    command::doctor_facts f;
    f.url = "http://127.0.0.1:8080";
    f.health = {true, {code, {.client_message = std::move(words), .http_status = http_status}}, {}};
    return f;
}

}  // namespace tandem::testing
