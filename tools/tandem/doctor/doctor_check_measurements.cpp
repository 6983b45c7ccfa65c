#include "base/format_count.hpp"
#include "doctor/doctor_checks.hpp"
#include "run/replay_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tandem::command {
namespace {

constexpr double late_first_token_ms = 1000;
constexpr double late_idle_ms = 500;
constexpr int many_tokens_after_cut = 16;
// About one sentence. A model that cannot roll back tokens evaluates this many after it returns to
// a checkpoint, so up to this number is normal.
constexpr int sentence_tokens = 64;

std::string answered(const doctor_measurements& m) {
    auto text = fmt::format("{} answered", m.requests);
    if (m.rounds > 0) text += ", in " + format_count(m.rounds, "round");
    return text + fmt::format(" on slot{} {}", m.slots.size() == 1 ? "" : "s",
                              fmt::join(m.slots, " and "));
}

finding requests(const doctor_facts& facts) {
    const auto& m = facts.measured.value;
    finding f{.name = "requests", .value = std::int64_t{m.requests}, .message = answered(m)};
    if (facts.stopped) {
        f.status = finding_status::note;
        f.message += "; stopped";
    } else if (facts.measured.failed()) {
        const auto words = split_error_message(facts.measured.fault);
        f.status = finding_status::bad;
        f.message = fmt::format("{} answered, then {}: {}", m.requests,
                                error_name(facts.measured.fault.ec), words.what);
        f.remedy = words.remedy.empty() ? "check the server's log" : words.remedy;
    } else if (m.ran_out) {
        f.status = m.requests == 0 ? finding_status::bad : finding_status::warning;
        f.message += "; measuring exceeded its time limit";
        f.remedy = "check whether the server is slow or busy";
    }
    return f;
}

finding first_token(const measurement_round& r, int prompt_tokens) {
    finding f{.name = "first_token"};
    f.value = r.first_token_cold_ms;
    f.message = fmt::format("{} with {} tokens to evaluate", format_elapsed(r.first_token_cold_ms),
                            prompt_tokens);
    if (r.first_token_warm_ms >= 0)
        f.message += fmt::format(", {} with one", format_elapsed(r.first_token_warm_ms));
    if (r.first_token_cold_ms < late_first_token_ms) return f;
    f.status = finding_status::warning;
    f.remedy = "the voice starts late: use a smaller model, a GPU (-ngl 99) or more --threads";
    return f;
}

std::string rate(double per_second) {
    return per_second < 100 ? fmt::format("{:.1f}", per_second) : fmt::format("{:.0f}", per_second);
}

finding speed(const measurement_round& r) {
    finding f{.name = "speed",
              .value = r.tokens_per_second,
              .message = rate(r.tokens_per_second) + " tokens/s"};
    if (r.prompt_tokens_per_second >= 0)
        f.message += fmt::format(", prompts {} tokens/s", rate(r.prompt_tokens_per_second));
    if (r.tokens_per_second >= slow_tokens_per_second) return f;
    const bool slower_than_speech = r.tokens_per_second < speech_tokens_per_second;
    f.status = slower_than_speech ? finding_status::bad : finding_status::warning;
    f.message += slower_than_speech ? ": slower than speech"
                                    : ": the voice waits more than a second for a sentence";
    f.remedy = faster_model_remedy;
    return f;
}

finding cut(const doctor_facts& facts) {
    const auto& m = facts.measured.value;
    const auto& r = m.median;
    if (m.busy_after_cut_ms >= 0)
        return {.name = "cut",
                .status = finding_status::bad,
                .value = "busy",
                .message = fmt::format("the slot was still busy {} after the connection was closed",
                                       format_elapsed(m.busy_after_cut_ms)),
                .remedy = "check for a proxy that does not forward the close"};
    finding f{.name = "cut",
              .value = r.cut_to_idle_ms,
              .message = "idle after " + format_elapsed(r.cut_to_idle_ms)};
    if (r.tokens_after_cut >= 0)
        f.message += fmt::format("; {} after the cut", format_count(r.tokens_after_cut, "token"));
    if (r.cut_to_idle_ms < late_idle_ms && r.tokens_after_cut <= many_tokens_after_cut) return f;
    if (facts.stopped && m.rounds < 2) {
        f.status = finding_status::note;
        f.message += "; measured only once, which is not enough to judge it";
        return f;
    }
    f.status = finding_status::warning;
    f.remedy = "check for a proxy, or for speculative decoding with long drafts";
    return f;
}

// Cache use of a request that should find nearly all of its prompt in the slot.
finding cache(const char* name, const cache_usage& use, const char* where) {
    finding f{.name = name};
    f.value = std::int64_t{use.evaluated};
    f.message = fmt::format("{}, {} of {} evaluated", where, use.evaluated,
                            format_count(use.all(), "token"));
    if (use.evaluated <= 2) return f;
    const bool lost = use.evaluated > sentence_tokens;
    f.status = lost ? finding_status::warning : finding_status::note;
    f.message += lost ? "" : ", normal for models that cannot roll back tokens";
    if (lost)
        f.remedy =
            "the model cannot roll back tokens: keep --ctx-checkpoints on, and try --swa-full";
    return f;
}

finding other_slot(const cache_usage& use) {
    return {.name = "cache_other_slot",
            .value = std::int64_t{use.evaluated},
            .message = fmt::format("without prefill, {} of {} evaluated", use.evaluated,
                                   format_count(use.all(), "token"))};
}

finding pinned_slots(const cache_usage& use) {
    finding f{.name = "pinned_slots",
              .value = std::int64_t{use.cached},
              .message = "each keeps its cache while another one is used"};
    if (use.cached * 2 >= use.all()) return f;
    f.status = finding_status::bad;
    f.message = fmt::format(
        "a slot loses its cache when another one is used: {} of {} tokens left (llama.cpp #28139)",
        use.cached, use.all());
    f.remedy =
        "start llama-server with --parallel 2, which gives each slot a cache of its own, or with "
        "--no-cache-idle-slots";
    return f;
}

// Cache use of a conversation that returns to a slot where another one replaced it.
finding host_memory(const cache_usage& use, double first_token_ms) {
    finding f{.name = "host_memory"};
    f.value = std::int64_t{use.evaluated};
    const auto cost = fmt::format("{} of {} evaluated, first token after {}", use.evaluated,
                                  format_count(use.all(), "token"), format_elapsed(first_token_ms));
    f.message = "brings conversations back into a slot: " + cost;
    if (use.cached * 2 >= use.all()) return f;
    f.status = finding_status::warning;
    f.message = "does not bring conversations back into a slot: " + cost;
    f.remedy =
        "start llama-server with --cache-ram 8192, or with a --parallel that gives each caller "
        "slots of its own";
    return f;
}

}  // namespace

void check_measurements(const doctor_facts& facts, std::vector<finding>& all) {
    const auto& m = facts.measured.value;
    const auto& r = m.median;
    all.push_back(requests(facts));
    if (r.first_token_cold_ms >= 0) all.push_back(first_token(r, m.prompt_tokens));
    if (r.tokens_per_second >= 0) all.push_back(speed(r));
    if (r.cut_to_idle_ms >= 0 || m.busy_after_cut_ms >= 0) all.push_back(cut(facts));
    if (r.same_slot) all.push_back(cache("cache_same_slot", *r.same_slot, "after a cut"));
    if (r.other_slot) all.push_back(other_slot(*r.other_slot));
    if (r.prefilled_slot)
        all.push_back(cache("cache_prefilled_slot", *r.prefilled_slot, "the other slot"));
    if (r.first_slot_again) all.push_back(pinned_slots(*r.first_slot_again));
    if (r.after_change) all.push_back(host_memory(*r.after_change, r.first_token_after_change_ms));
}

}  // namespace tandem::command
