#include "base/format_count.hpp"
#include "doctor/doctor_checks.hpp"
#include "run/replay_text.hpp"
#include "slots/server_build_faults.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::command {
namespace {

// About what two speakers say in a minute. Converts the size of the context to minutes of talk.
constexpr int tokens_a_minute = 200;
constexpr int short_context = 2048;

finding build(const doctor_facts& facts) {
    const auto& info = facts.props.value.build_info;
    finding f{.name = "build", .value = info, .message = info};
    if (slots::is_safe_for_instant_reuse(info)) {
        f.message += ", known to handle cuts";
    } else if (info.empty()) {
        f.status = finding_status::note;
        f.message = "not reported by the server";
    } else if (!slots::build_number(info)) {
        f.status = finding_status::note;
        f.message += ": not a build number";
    } else {
        f.message += slots::may_crash_after_cut(info) ? ": some models crash after cuts"
                                                      : ": cuts are untested";
    }
    return f;
}

void build_faults(const doctor_facts& facts, std::vector<finding>& all) {
    for (const auto& fault : slots::faults_of(facts.props.value.build_info)) {
        // If every build has the fault, an upgrade does not help, so it is only a note.
        const bool is_fixed = fault.last != 0;
        all.push_back({.name = "build_fault",
                       .status = is_fixed ? finding_status::warning : finding_status::note,
                       .value = fault.issues,
                       .message = fmt::format("{} ({})", fault.what, fault.issues),
                       .remedy = fault.remedy});
    }
}

finding reuse_guard(const doctor_facts& facts) {
    const auto& info = facts.props.value.build_info;
    const auto& set = facts.settings.reuse_guard;
    const auto safe = slots::choose_reuse_guard(info);
    const auto guard = facts.reuse_guard();
    const auto text = set ? to_string(guard) : fmt::format("auto ({})", to_string(guard));
    finding f{.name = "reuse_guard", .value = to_string(guard), .message = text};
    if (guard > safe) {
        f.status = finding_status::note;
        f.message += slots::is_safe_for_instant_reuse(info) ? ", but this build needs none"
                                                            : ", longer than needed";
        f.message += ": quick interruptions make the next reply wait";
    } else if (guard < safe) {
        const bool deadly = slots::may_crash_after_cut(info);
        f.status = deadly ? finding_status::bad : finding_status::warning;
        f.message += deadly ? ": this build may crash if a slot is used again this soon after a cut"
                            : ": untested on this build; some builds crash if a slot is used again "
                              "this soon after a cut";
    } else {
        f.message += guard == duration{} ? ", as this build needs none"
                                         : ", appropriate for an untested build";
    }
    if (f.status == finding_status::note) f.remedy = "set --reuse-guard auto";
    if (f.status > finding_status::note)
        f.remedy = "set --reuse-guard auto, or use a newer llama-server";
    return f;
}

finding slots_found(const doctor_facts& facts) {
    const int total = facts.props.value.total_slots;
    const int wanted = facts.settings.slots.value_or(total);
    finding f{.name = "slots", .value = std::int64_t{total}, .message = fmt::format("{}", total)};
    const int better = std::max(2, wanted);
    if (total == 1 || total < wanted) {
        f.status = finding_status::warning;
        f.message += total == 1
                         ? ": replies cannot continue on another slot while one finishes its cut"
                         : fmt::format(": fewer than the {} of --slots", wanted);
        f.remedy = fmt::format("start llama-server with --parallel {}", better);
    } else if (wanted == 1) {
        f.status = finding_status::note;
        f.message += ", of which tandem uses only one";
        f.remedy = "set --slots 2";
    } else if (total > wanted) {
        f.message += fmt::format(", of which tandem uses {}", wanted);
    }
    return f;
}

std::string describe_callers(const doctor_facts& facts, int n) {
    if (facts.is_slower_than_speech())
        return "none without gaps, because a slot is slower than speech";
    if (!facts.has_speed()) return fmt::format("{} with slots of their own; more share them", n);
    return fmt::format("about {} at a time at this speed, if its slots do not slow each other down",
                       n);
}

finding callers(const doctor_facts& facts) {
    const int n = facts.callers();
    finding f{.name = "callers", .value = std::int64_t{n}, .message = describe_callers(facts, n)};
    if (n == 0) {
        f.status = finding_status::bad;
        f.remedy = faster_model_remedy;
        return f;
    }
    if (n == 1) f.status = finding_status::note;
    f.remedy = fmt::format(
        "for N callers with slots of their own, start llama-server with "
        "--parallel {0}N and --ctx-size {0}N times {1}",
        facts.slots_per_caller() == 1 ? "" : "2",
        std::max(fair_context, facts.props.value.context_per_slot));
    return f;
}

finding context(const doctor_facts& facts) {
    const int tokens = facts.props.value.context_per_slot;
    if (tokens <= 0)
        return {.name = "context",
                .status = finding_status::note,
                .message = "not reported by the server"};
    const int minutes = std::max(1, tokens / tokens_a_minute);
    finding f{.name = "context",
              .value = std::int64_t{tokens},
              .message = fmt::format("{} per slot, about {} of talk", format_count(tokens, "token"),
                                     format_count(minutes, "minute"))};
    if (tokens >= fair_context) return f;
    f.status = tokens < short_context ? finding_status::warning : finding_status::note;
    f.remedy = "increase it: llama-server --ctx-size N";
    if (const int slots = facts.props.value.total_slots; slots > 1)
        f.remedy += fmt::format(", for all {} slots together", slots);
    return f;
}

finding chat_template(const doctor_facts& facts) {
    if (facts.chat_template.ok())
        return {.name = "chat_template", .value = "works", .message = "works"};
    const auto words = split_error_message(facts.chat_template.fault);
    return {.name = "chat_template",
            .status = finding_status::warning,
            .value = error_name(facts.chat_template.fault.ec),
            .message = "cannot be applied; only raw prompts work: " + words.what,
            .remedy = "start llama-server with --jinja and a --chat-template that suits the model"};
}

finding tool_calls(const doctor_facts& facts) {
    const auto& mark = facts.call_mark;
    if (mark.failed())
        return {.name = "tool_calls",
                .status = finding_status::note,
                .value = error_name(mark.fault.ec),
                .message = "their mark is unknown: " + split_error_message(mark.fault).what};
    if (mark.value.empty())
        return {.name = "tool_calls",
                .status = finding_status::note,
                .value = "none",
                .message =
                    "the chat template does not show how a call begins, so paced replies "
                    "with tools fail (not_supported)",
                .remedy =
                    "for a bot with tools, use another model, or a --chat-template-file that shows "
                    "calls"};
    return {.name = "tool_calls", .value = mark.value, .message = "begin with " + mark.value};
}

finding thinking(const doctor_facts& facts) {
    const auto& t = facts.thinking.value;
    if (facts.thinking.failed())
        return {.name = "thinking",
                .status = finding_status::note,
                .value = error_name(facts.thinking.fault.ec),
                .message = "unknown: " + split_error_message(facts.thinking.fault).what};
    if (!t.can_think)
        return {.name = "thinking", .value = "none", .message = "not in the chat template"};
    if (t.has_switch)
        return {.name = "thinking",
                .value = "enable_thinking",
                .message = t.has_effort ? "can be switched off by enable_thinking; its length "
                                          "follows reasoning_effort"
                                        : "can be switched off by enable_thinking"};
    return {.name = "thinking",
            .status = finding_status::note,
            .value = t.has_effort ? "reasoning_effort" : "always",
            .message = t.has_effort ? "cannot be switched off; its length follows reasoning_effort"
                                    : "cannot be switched off by the chat template",
            .remedy = "limit the wait for speech with --reasoning-limit, for example 2s"};
}

finding slots_endpoint(const doctor_facts& facts) {
    if (facts.slots.ok()) return {.name = "slots_endpoint", .value = "on", .message = "answers"};
    const bool is_off = facts.slots.fault.ec == errc::not_supported;
    return {.name = "slots_endpoint",
            .status = finding_status::note,
            .value = is_off ? "off" : error_name(facts.slots.fault.ec),
            .message = is_off ? "/slots is disabled: tandem cannot check when a cut takes effect"
                              : split_error_message(facts.slots.fault).what,
            .remedy = "start llama-server without --no-slots"};
}

bool is_drafting(const doctor_facts& facts) {
    return std::ranges::any_of(facts.slots.value, &slot_state::speculative);
}

finding speculative() {
    return {.name = "speculative",
            .status = finding_status::note,
            .value = "on",
            .message =
                "speculative decoding is on: a cut takes effect up to --spec-draft-n-max tokens "
                "later, and a hybrid model may evaluate its last answer again (llama.cpp #28049)",
            .remedy =
                "keep drafts short; compare the figures below with those of a server without "
                "--spec-type"};
}

finding other_clients(const doctor_facts& facts) {
    const int busy = facts.busy_slots;
    if (busy == 0)
        return {.name = "other_clients", .value = std::int64_t{0}, .message = "none active"};
    return {.name = "other_clients",
            .status = finding_status::warning,
            .value = std::int64_t{busy},
            .message = fmt::format(
                "{} of {} used by another client: the reuse guard does not "
                "cover its requests, and they replace the slots' caches; {}",
                busy, format_count(facts.props.value.total_slots, "slot"),
                facts.measured.done ? "the figures below are unreliable" : "nothing is measured"),
            .remedy =
                "use the server only through one tandem process; run doctor again when the server "
                "is idle"};
}

}  // namespace

void check_setup(const doctor_facts& facts, std::vector<finding>& all) {
    all.push_back(build(facts));
    build_faults(facts, all);
    all.push_back(reuse_guard(facts));
    all.push_back(slots_found(facts));
    all.push_back(callers(facts));
    all.push_back(context(facts));
    if (facts.chat_template.done) all.push_back(chat_template(facts));
    if (facts.call_mark.done) all.push_back(tool_calls(facts));
    if (facts.thinking.done) all.push_back(thinking(facts));
    if (facts.slots.done) all.push_back(slots_endpoint(facts));
    if (is_drafting(facts)) all.push_back(speculative());
    if (facts.slots.ok()) all.push_back(other_clients(facts));
}

}  // namespace tandem::command
