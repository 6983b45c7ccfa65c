#include "doctor/doctor_advice.hpp"

#include "slots/server_build_faults.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tandem::command {
namespace {

// At a lower rate, the server takes more than a second for a batch of 2048 tokens, the default, and
// notices a cut only afterwards.
constexpr double slow_prompt_tokens_per_second = 2000;

int slots_of(const doctor_facts& facts) {
    return std::max(2, facts.settings.slots.value_or(2));
}

bool loses_pinned_slots(const doctor_facts& facts) {
    const auto& again = facts.measured.value.median.first_slot_again;
    return again && again->cached * 2 < again->all();
}

advised_setting slots_setting(const doctor_facts& facts) {
    const auto& set = facts.settings.slots;
    return {.name = "slots",
            .value = set ? fmt::format("{}", slots_of(facts)) : "0",
            .current = fmt::format("{}", set.value_or(0)),
            .reason = set ? "one continues while the other finishes its cut"
                          : "all slots of the server, for as many callers as possible"};
}

advised_setting guard_setting(const doctor_facts& facts) {
    const auto& build = facts.props.value.build_info;
    const auto safe = slots::choose_reuse_guard(build);
    const auto& guard = facts.settings.reuse_guard;
    const auto current = guard ? to_string(*guard) : "auto";
    const bool right = guard.value_or(safe) == safe;
    return {.name = "reuse_guard",
            .value = right ? current : "auto",
            .current = current,
            .reason = slots::is_safe_for_instant_reuse(build)
                          ? "this build needs no wait after a cut"
                          : "for builds on which cuts are untested"};
}

advised_setting pacing_setting(const doctor_facts& facts) {
    const auto& now = facts.settings.pacing;
    if (now == "strict" || now == "warm")
        return {.name = "pacing",
                .value = "auto",
                .current = now,
                .reason = "keeps the next sentences ready, and shares the slots among all callers"};
    return {
        .name = "pacing", .value = now, .current = now, .reason = "generates ahead of the voice"};
}

// Returns the value for --parallel. Unless slots lose their caches, never reduces the server's
// current number.
int parallel_of(const doctor_facts& facts) {
    const int given = loses_pinned_slots(facts) ? 0 : facts.props.value.total_slots;
    return std::max(slots_of(facts), given);
}

advised_setting parallel_setting(const doctor_facts& facts) {
    const int total = facts.props.value.total_slots;
    const bool unset = loses_pinned_slots(facts);
    return {.name = "--parallel",
            .value = fmt::format("{}", parallel_of(facts)),
            .current = unset ? "" : fmt::format("{}", total),
            .reason = facts.slots_per_caller() == 1
                          ? "a slot with its own cache for each caller"
                          : "two slots with caches of their own for each caller"};
}

advised_setting context_setting(const doctor_facts& facts) {
    const int slots = parallel_of(facts);
    const int context = facts.props.value.context_per_slot;
    const int each = std::max(fair_context, context);
    // If slots share a cache, each of them reports the full size.
    const int sharing = loses_pinned_slots(facts) ? 1 : facts.props.value.total_slots;
    return {.name = "--ctx-size",
            .value = fmt::format("{}", slots * each),
            .current = context > 0 ? fmt::format("{}", sharing * context) : "",
            .reason = fmt::format("{} tokens for each of {} slots", each, slots)};
}

void add_batch_size(const doctor_facts& facts, doctor_advice& advice) {
    const double rate = facts.measured.value.median.prompt_tokens_per_second;
    if (rate < 0 || rate >= slow_prompt_tokens_per_second) return;
    advice.llama_server.push_back(
        {.name = "--batch-size",
         .value = "512",
         .reason = "a cut during a long prompt takes effect after the current batch"});
}

// Quotes for the shell, because the server's text may contain any character.
std::string quoted(const std::string& text) {
    const bool is_plain = std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) || c == '/' || c == '.' || c == '_' || c == '-';
    });
    if (is_plain) return text;
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string command_of(const doctor_facts& facts, const doctor_advice& advice) {
    const auto& path = facts.props.value.model_path;
    auto text = "llama-server -m " + (path.empty() ? "MODEL.gguf" : quoted(path));
    for (const auto& s : advice.llama_server) text += fmt::format(" {} {}", s.name, s.value);
    return text;
}

}  // namespace

doctor_advice make_advice(const doctor_facts& facts) {
    if (!facts.props.ok()) return {};
    doctor_advice advice{
        .tandem = {slots_setting(facts), guard_setting(facts), pacing_setting(facts)},
        .llama_server = {parallel_setting(facts), context_setting(facts)}};
    add_batch_size(facts, advice);
    advice.command = command_of(facts, advice);
    return advice;
}

}  // namespace tandem::command
