#include "doctor/doctor_checks.hpp"
#include "run/text_lines.hpp"
#include "slots/server_builds.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::command {
namespace {

// Two people speak some 200 tokens a minute.
constexpr int tokens_a_minute = 200;
constexpr int short_context = 2048;

finding build(const doctor_facts& facts) {
    const auto& info = facts.props.value.build_info;
    finding f{.name = "build", .value = info, .message = info};
    if (slots::is_sound(info)) {
        f.message += ", known to bear cuts";
    } else if (info.empty()) {
        f.status = finding_status::note;
        f.message = "the server does not say which it is";
    } else if (!slots::build_number(info)) {
        f.status = finding_status::note;
        f.message += ": not a number that is known";
    } else {
        f.message += slots::may_die_of_cuts(info) ? ": some models do not bear cuts on it"
                                                  : ": cuts were not tried on it";
    }
    return f;
}

void build_faults(const doctor_facts& facts, std::vector<finding>& all) {
    for (const auto& fault : slots::faults_of(facts.props.value.build_info)) {
        // What every build has is nothing to act on.
        const bool has_cure = fault.last != 0;
        all.push_back({.name = "build_fault",
                       .status = has_cure ? finding_status::warning : finding_status::note,
                       .value = fault.issues,
                       .message = fmt::format("{} ({})", fault.what, fault.issues),
                       .remedy = fault.remedy});
    }
}

finding reuse_guard(const doctor_facts& facts) {
    const auto& info = facts.props.value.build_info;
    const auto& set = facts.wishes.reuse_guard;
    const auto safe = slots::safe_reuse_guard(info);
    const auto guard = facts.reuse_guard();
    const auto text = set ? to_string(guard) : fmt::format("auto ({})", to_string(guard));
    finding f{.name = "reuse_guard", .value = to_string(guard), .message = text};
    if (guard > safe) {
        f.status = finding_status::note;
        f.message += slots::is_sound(info) ? ", but this build needs none" : ", longer than needed";
        f.message += ": quick interruptions make the next reply wait";
    } else if (guard < safe) {
        const bool deadly = slots::may_die_of_cuts(info);
        f.status = deadly ? finding_status::bad : finding_status::warning;
        f.message += deadly ? ": this build may die when a slot is asked again so soon after a cut"
                            : ": not tried on this build; some died when a slot was asked again so "
                              "soon after a cut";
    } else {
        f.message += guard == duration{} ? ", as this build needs none"
                                         : ", as is right for a build that was not tried";
    }
    if (f.status == finding_status::note) f.remedy = "set --reuse-guard auto";
    if (f.status > finding_status::note)
        f.remedy = "set --reuse-guard auto, or use a newer llama-server";
    return f;
}

finding slots_found(const doctor_facts& facts) {
    const int total = facts.props.value.total_slots;
    const int wanted = facts.wishes.slots.value_or(total);
    finding f{.name = "slots", .value = std::int64_t{total}, .message = fmt::format("{}", total)};
    const int better = std::max(2, wanted);
    if (total == 1 || total < wanted) {
        f.status = finding_status::warning;
        f.message += total == 1 ? ": replies cannot go on in another slot while one ends its cut"
                                : fmt::format(": fewer than the {} of --slots", wanted);
        f.remedy = fmt::format("start llama-server with --parallel {}", better);
    } else if (wanted == 1) {
        f.status = finding_status::note;
        f.message += ", of which tandem uses one only";
        f.remedy = "set --slots 2";
    } else if (total > wanted) {
        f.message += fmt::format(", of which tandem uses {}", wanted);
    }
    return f;
}

finding callers(const doctor_facts& facts) {
    const int n = facts.callers();
    const int each = facts.slots_per_caller();
    const bool has_two = each == 2 && facts.props.value.total_slots > 1;
    finding f{.name = "callers",
              .value = std::int64_t{n},
              .message = fmt::format("{} at a time: each holds {} while its reply is spoken, and "
                                     "further ones wait",
                                     n, has_two ? "two slots, as the guard needs," : "a slot"),
              .remedy = fmt::format("for N callers start llama-server with --parallel {0}N and "
                                    "--ctx-size {0}N times {1}",
                                    each == 1 ? "" : "2",
                                    std::max(fair_context, facts.props.value.context_per_slot))};
    if (n == 1) f.status = finding_status::note;
    return f;
}

finding context(const doctor_facts& facts) {
    const int tokens = facts.props.value.context_per_slot;
    if (tokens <= 0)
        return {.name = "context",
                .status = finding_status::note,
                .message = "the server does not say how large it is"};
    const int minutes = std::max(1, tokens / tokens_a_minute);
    finding f{.name = "context",
              .value = std::int64_t{tokens},
              .message = fmt::format("{} a slot, some {} of talk", counted(tokens, "token"),
                                     counted(minutes, "minute"))};
    if (tokens >= fair_context) return f;
    f.status = tokens < short_context ? finding_status::warning : finding_status::note;
    f.remedy = "larger: llama-server --ctx-size N";
    if (const int slots = facts.props.value.total_slots; slots > 1)
        f.remedy += fmt::format(", for all {} slots together", slots);
    return f;
}

finding chat_template(const doctor_facts& facts) {
    if (facts.chat_template.ok())
        return {.name = "chat_template", .value = "works", .message = "works"};
    const auto words = words_of(facts.chat_template.fault);
    return {.name = "chat_template",
            .status = finding_status::warning,
            .value = error_name(facts.chat_template.fault.ec),
            .message = "cannot be applied, only raw prompts work: " + words.what,
            .remedy = "start llama-server with --jinja and a --chat-template that suits the model"};
}

finding slots_endpoint(const doctor_facts& facts) {
    if (facts.slots.ok()) return {.name = "slots_endpoint", .value = "on", .message = "answers"};
    const bool is_off = facts.slots.fault.ec == errc::not_supported;
    return {.name = "slots_endpoint",
            .status = finding_status::note,
            .value = is_off ? "off" : error_name(facts.slots.fault.ec),
            .message = is_off ? "/slots is switched off: nobody sees when a cut takes effect"
                              : words_of(facts.slots.fault).what,
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
                "drafts are on: a cut takes effect up to --spec-draft-n-max tokens later, "
                "and a hybrid model may evaluate its last answer again (llama.cpp #28049)",
            .remedy =
                "keep drafts short; compare the figures below with those of a server without "
                "--spec-type"};
}

finding other_clients(const doctor_facts& facts) {
    const int busy = facts.busy_slots;
    if (busy == 0)
        return {.name = "other_clients", .value = std::int64_t{0}, .message = "none at work now"};
    return {
        .name = "other_clients",
        .status = finding_status::warning,
        .value = std::int64_t{busy},
        .message = fmt::format("{} of {} used by somebody that tandem does not know: the reuse "
                               "guard does not cover these requests, and they displace what slots "
                               "hold; {}",
                               busy, counted(facts.props.value.total_slots, "slot"),
                               facts.measured.done ? "the figures below are not to be trusted"
                                                   : "so nothing is measured"),
        .remedy =
            "give tandem a server of its own, and use it through one tandem only; run doctor "
            "again when nobody uses it"};
}

}  // namespace

void check_set_up(const doctor_facts& facts, std::vector<finding>& all) {
    all.push_back(build(facts));
    build_faults(facts, all);
    all.push_back(reuse_guard(facts));
    all.push_back(slots_found(facts));
    all.push_back(callers(facts));
    all.push_back(context(facts));
    if (facts.chat_template.done) all.push_back(chat_template(facts));
    if (facts.slots.done) all.push_back(slots_endpoint(facts));
    if (is_drafting(facts)) all.push_back(speculative());
    if (facts.slots.ok()) all.push_back(other_clients(facts));
}

}  // namespace tandem::command
