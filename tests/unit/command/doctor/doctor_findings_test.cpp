#include "doctor/doctor_findings.hpp"

#include "doctor_facts_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace tandem::command;
using namespace std::chrono_literals;
using tandem::errc;
using tandem::testing::facts_of_fault;
using tandem::testing::good_facts;
using testing::IsEmpty;

constexpr auto ok = finding_status::ok;
constexpr auto note = finding_status::note;
constexpr auto warning = finding_status::warning;
constexpr auto bad = finding_status::bad;

using facts = doctor_facts;

// The facts about a server, and the finding that a user reads.
struct row {
    const char* name;
    std::function<facts()> found;
    const char* finding_name;
    finding_status status;
    const char* message;
    const char* remedy = "";
};

std::function<facts()> good() {
    return good_facts;
}

// The facts about a healthy server, with one change.
std::function<facts()> but(std::function<void(facts&)> change) {
    return [change] {
        auto f = good_facts();
        change(f);
        return f;
    };
}

std::function<facts()> build(const char* name, std::optional<tandem::duration> guard) {
    return but([=](facts& f) {
        f.props.value.build_info = name;
        f.settings.reuse_guard = guard;
    });
}

std::function<facts()> measured(std::function<void(doctor_measurements&)> change) {
    return but([change](facts& f) { change(f.measured.value); });
}

std::function<facts()> fault(errc code, const char* words, int http_status = 0) {
    return [=] { return facts_of_fault(code, words, http_status); };
}

void refuse_props(facts& f, errc code, const char* words, int http_status) {
    f = facts_of_fault(code, words, http_status);
    f.props = {true, f.health.fault, {}};
    f.health.fault = {};
}

const std::vector<row> rows{
    {"answers", good(), "reachable", ok, "http://127.0.0.1:8080 answers in 0.5 ms"},
    {"far_away", but([](facts& f) { f.round_trip_ms = 180; }), "reachable", warning,
     "http://127.0.0.1:8080 answers in 180 ms; each sentence waits this long",
     "run tandem closer to the server"},
    {"nobody_listens",
     fault(errc::connect_failed, "cannot connect to X; start llama-server (refused)"), "reachable",
     bad, "cannot connect to X (refused)", "start llama-server"},
    {"no_such_host", fault(errc::resolve_failed, "the host name of X cannot be resolved; check it"),
     "reachable", bad, "the host name of X cannot be resolved", "check it"},
    {"bad_certificate", fault(errc::tls_failed, "the certificate of X is not trusted; check"),
     "reachable", bad, "the certificate of X is not trusted", "check"},
    {"no_http", fault(errc::bad_response, "the answer of X is not HTTP; check host and port"),
     "reachable", bad, "the answer of X is not HTTP", "check host and port"},
    {"an_answer_that_does_not_come", fault(errc::request_timeout, "/health did not answer"),
     "reachable", bad, "/health did not answer", "check the URL and the server's log"},
    {"https_at_an_http_port",
     [] {
         auto f = facts_of_fault(errc::connect_timeout, "no connection");
         f.url = "https://127.0.0.1:8080";
         f.https = f.other_scheme_answers = true;
         return f;
     },
     "reachable", bad, "the port speaks http, not https", "use http://127.0.0.1:8080"},
    {"http_at_an_https_port",
     [] {
         auto f = facts_of_fault(errc::stream_incomplete, "closed");
         f.other_scheme_answers = true;
         return f;
     },
     "reachable", bad, "the port speaks https, not http", "use https://127.0.0.1:8080"},

    {"another_server", fault(errc::not_supported, "/health: not there; check the URL", 404),
     "server", bad, "not a llama-server: /health: not there", "check the URL"},
    {"a_router", but([](facts& f) {
         refuse_props(f, errc::not_supported, "the server is a router; use another URL", 200);
     }),
     "server", bad, "the server is a router", "use another URL"},
    {"a_server_that_fails", fault(errc::server_error, "/health: failed; look", 500), "server", bad,
     "/health: failed", "look"},
    {"no_key", good(), "api_key", ok, "not required"},
    {"a_key", but([](facts& f) { f.requires_key = true; }), "api_key", ok, "accepted"},
    {"a_key_that_may_not_be_required", but([](facts& f) { f.settings.has_key = true; }), "api_key",
     ok, "not refused, but perhaps not required: the server did not answer without it"},
    {"no_key_on_a_network", but([](facts& f) { f.is_private = false; }), "api_key", note,
     "not required, and the traffic is not encrypted",
     "if others can reach the server, start it with --api-key-file FILE and use https"},
    {"a_refused_key", but([](facts& f) {
         refuse_props(f, errc::unauthorized, "no; set api_key to the one X has (HTTP 401)", 401);
     }),
     "api_key", bad, "no (HTTP 401)",
     "use --api-key-file FILE or TANDEM_API_KEY to pass the one X has"},

    {"a_model", good(), "model", ok, "talk.gguf"},
    {"a_model_without_name", but([](facts& f) { f.props.value.model.clear(); }), "model", ok,
     "loaded"},
    {"a_model_that_was_waited_for", but([](facts& f) { f.loading_ms = 3200; }), "model", ok,
     "talk.gguf, loaded after 3.20 s"},
    {"a_model_that_still_loads",
     [] {
         auto f = facts_of_fault(errc::model_loading, "loading", 503);
         f.loading_ms = 30'000;
         return f;
     },
     "model", bad, "still loading after 30.0 s",
     "wait longer (--wait 5m), or check the server's log"},
    {"a_model_asleep", but([](facts& f) { f.props.value.is_sleeping = true; }), "model", warning,
     "talk.gguf, asleep: the first reply waits until the model is loaded again",
     "start llama-server without --sleep-idle-seconds"},

    {"a_sound_build", good(), "build", ok, "b11669-Debian, known to handle cuts"},
    {"an_untried_build", build("b8000", 2s), "build", ok, "b8000: cuts are untested"},
    {"a_deadly_build", build("b7000", 2s), "build", ok, "b7000: some models crash after cuts"},
    {"a_build_without_number", build("main", 2s), "build", note, "main: not a build number"},
    {"no_build", build("", 2s), "build", note, "not reported by the server"},

    {"a_fault_of_all_builds", good(), "build_fault", note,
     "a request that waits for its slot is processed after its client disconnects, while other "
     "slots stream (#13262)",
     "let only tandem use the server: it sends no request to a slot in use"},
    {"a_fault_of_old_builds", build("b4510", 2s), "build_fault", warning,
     "generation continues after the client disconnects (#11414, #11720; fixed by #11418)",
     "use a newer build"},

    {"no_guard", good(), "reuse_guard", ok, "0s, as this build needs none"},
    {"an_automatic_guard", build("b8000", std::nullopt), "reuse_guard", ok,
     "auto (2s), appropriate for an untested build"},
    {"an_automatic_guard_on_a_sound_build", build("b11669", std::nullopt), "reuse_guard", ok,
     "auto (0s), as this build needs none"},
    {"a_guard_that_is_not_needed", build("b11669", 2s), "reuse_guard", note,
     "2s, but this build needs none: quick interruptions make the next reply wait",
     "set --reuse-guard auto"},
    {"a_guard_longer_than_needed", build("b8000", 5s), "reuse_guard", note,
     "5s, longer than needed: quick interruptions make the next reply wait",
     "set --reuse-guard auto"},
    {"no_guard_on_an_untried_build", build("b8000", 0s), "reuse_guard", warning,
     "0s: untested on this build; some builds crash if a slot is used again this soon after a cut",
     "set --reuse-guard auto, or use a newer llama-server"},
    {"no_guard_on_a_deadly_build", build("b7000", 0s), "reuse_guard", bad,
     "0s: this build may crash if a slot is used again this soon after a cut",
     "set --reuse-guard auto, or use a newer llama-server"},

    {"slots", good(), "slots", ok, "2"},
    {"more_slots", but([](facts& f) { f.props.value.total_slots = 4; }), "slots", ok,
     "4, of which tandem uses 2"},
    {"one_slot", but([](facts& f) { f.props.value.total_slots = 1; }), "slots", warning,
     "1: replies cannot continue on another slot while one finishes its cut",
     "start llama-server with --parallel 2"},
    {"too_few_slots", but([](facts& f) { f.settings.slots = 4; }), "slots", warning,
     "2: fewer than the 4 of --slots", "start llama-server with --parallel 4"},
    {"one_slot_wanted", but([](facts& f) { f.settings.slots = 1; }), "slots", note,
     "2, of which tandem uses only one", "set --slots 2"},

    {"all_slots", but([](facts& f) {
         f.props.value.total_slots = 4;
         f.settings.slots.reset();
     }),
     "slots", ok, "4"},
    {"one_slot_of_a_server", but([](facts& f) {
         f.props.value.total_slots = 1;
         f.settings.slots.reset();
     }),
     "slots", warning, "1: replies cannot continue on another slot while one finishes its cut",
     "start llama-server with --parallel 2"},

    {"callers", good(), "callers", ok,
     "about 17 at a time at this speed, if its slots do not slow each other down",
     "for N callers with slots of their own, start llama-server with --parallel N and --ctx-size N "
     "times 8192"},
    {"callers_of_all_slots", but([](facts& f) {
         f.props.value.total_slots = 5;
         f.settings.slots.reset();
     }),
     "callers", ok, "about 43 at a time at this speed, if its slots do not slow each other down",
     "for N callers with slots of their own, start llama-server with --parallel N and --ctx-size N "
     "times 8192"},
    {"callers_without_a_measurement", but([](facts& f) { f.measured = {}; }), "callers", ok,
     "2 with slots of their own; more share them",
     "for N callers with slots of their own, start llama-server with --parallel N and --ctx-size N "
     "times 8192"},
    {"callers_under_the_guard", but([](facts& f) {
         f.props.value.total_slots = 5;
         f.settings.slots.reset();
         f.settings.reuse_guard.reset();
         f.props.value.build_info = "b8000";
     }),
     "callers", ok, "about 10 at a time at this speed, if its slots do not slow each other down",
     "for N callers with slots of their own, start llama-server with --parallel 2N and --ctx-size "
     "2N times 8192"},
    {"one_caller_for_one_slot", but([](facts& f) {
         f.props.value.total_slots = 1;
         f.props.value.context_per_slot = 1024;
         f.settings.reuse_guard = 2s;
         f.measured.value.median.tokens_per_second = 4;
     }),
     "callers", note, "about 1 at a time at this speed, if its slots do not slow each other down",
     "for N callers with slots of their own, start llama-server with --parallel 2N and --ctx-size "
     "2N times 4096"},

    {"no_caller_where_slots_are_slower_than_speech",
     but([](facts& f) { f.measured.value.median.tokens_per_second = 3; }), "callers", bad,
     "none without gaps, because a slot is slower than speech",
     "use a smaller model or quantization, or a GPU (-ngl 99)"},

    {"context", good(), "context", ok, "8192 tokens per slot, about 40 minutes of talk"},
    {"a_short_context", but([](facts& f) { f.props.value.context_per_slot = 2048; }), "context",
     note, "2048 tokens per slot, about 10 minutes of talk",
     "increase it: llama-server --ctx-size N, for all 2 slots together"},
    {"a_context_of_a_minute", but([](facts& f) { f.props.value.context_per_slot = 256; }),
     "context", warning, "256 tokens per slot, about 1 minute of talk",
     "increase it: llama-server --ctx-size N, for all 2 slots together"},
    {"a_tiny_context", but([](facts& f) { f.props.value.context_per_slot = 512; }), "context",
     warning, "512 tokens per slot, about 2 minutes of talk",
     "increase it: llama-server --ctx-size N, for all 2 slots together"},
    {"a_short_context_of_one_slot", but([](facts& f) {
         f.props.value.total_slots = 1;
         f.props.value.context_per_slot = 2048;
     }),
     "context", note, "2048 tokens per slot, about 10 minutes of talk",
     "increase it: llama-server --ctx-size N"},
    {"an_untold_context", but([](facts& f) { f.props.value.context_per_slot = 0; }), "context",
     note, "not reported by the server"},

    {"a_template", good(), "chat_template", ok, "works"},
    {"no_template", but([](facts& f) {
         f.chat_template.fault = {errc::bad_request, {"refused", "no template", 400}};
     }),
     "chat_template", warning,
     "cannot be applied; only raw prompts work: refused; server message: no template",
     "start llama-server with --jinja and a --chat-template that suits the model"},

    {"calls", good(), "tool_calls", ok, "begin with <tool_call>"},
    {"no_calls", but([](facts& f) { f.call_mark.value = ""; }), "tool_calls", note,
     "the chat template does not show how a call begins, so paced replies with tools fail "
     "(not_supported)",
     "for a bot with tools, use another model, or a --chat-template-file that shows calls"},
    {"calls_not_learned", but([](facts& f) {
         f.call_mark.fault = {errc::bad_response, {"odd; really", "", 200}};
     }),
     "tool_calls", note, "their mark is unknown: odd", ""},

    {"no_thinking", good(), "thinking", ok, "not in the chat template"},
    {"thinking_with_a_switch", but([](facts& f) {
         f.thinking.value = {true, true, false};
     }),
     "thinking", ok, "can be switched off by enable_thinking"},
    {"thinking_with_an_effort", but([](facts& f) {
         f.thinking.value = {true, false, true};
     }),
     "thinking", note, "cannot be switched off; its length follows reasoning_effort",
     "limit the wait for speech with --reasoning-limit, for example 2s"},
    {"thinking_always", but([](facts& f) {
         f.thinking.value = {true, false, false};
     }),
     "thinking", note, "cannot be switched off by the chat template",
     "limit the wait for speech with --reasoning-limit, for example 2s"},

    {"slots_endpoint_on", good(), "slots_endpoint", ok, "answers"},
    {"slots_endpoint_off", but([](facts& f) {
         f.slots.fault = {errc::not_supported, {"off", "", 501}};
     }),
     "slots_endpoint", note, "/slots is disabled: tandem cannot check when a cut takes effect",
     "start llama-server without --no-slots"},
    {"slots_endpoint_not_understood", but([](facts& f) {
         f.slots.fault = {errc::bad_response, {"odd; really", "", 200}};
     }),
     "slots_endpoint", note, "odd", "start llama-server without --no-slots"},

    {"nobody_else", good(), "other_clients", ok, "none active"},
    {"others", but([](facts& f) { f.busy_slots = 1; }), "other_clients", warning,
     "1 of 2 slots used by another client: the reuse guard does not cover its requests, and they "
     "replace the slots' caches; the figures below are unreliable",
     "use the server only through one tandem process; run doctor again when the server is idle"},
    {"others_everywhere", but([](facts& f) {
         f.props.value.total_slots = f.busy_slots = 1;
         f.measured = {};
     }),
     "other_clients", warning,
     "1 of 1 slot used by another client: the reuse guard does not cover its requests, and they "
     "replace the slots' caches; nothing is measured",
     "use the server only through one tandem process; run doctor again when the server is idle"},

    {"drafts", but([](facts& f) { f.slots.value[1].speculative = true; }), "speculative", note,
     "speculative decoding is on: a cut takes effect up to --spec-draft-n-max tokens later, and a "
     "hybrid model may evaluate its last answer again (llama.cpp #28049)",
     "keep drafts short; compare the figures below with those of a server without --spec-type"},

    {"requests", good(), "requests", ok, "24 answered, in 3 rounds on slots 0 and 1"},
    {"requests_on_one_slot", measured([](doctor_measurements& m) {
         m.slots = {0};
         m.rounds = 1;
     }),
     "requests", ok, "24 answered, in 1 round on slot 0"},
    {"a_death_while_measuring", but([](facts& f) {
         f.measured.value.requests = 3;
         f.measured.fault = {errc::stream_incomplete, {"closed; it may have died", "", 0}};
     }),
     "requests", bad, "3 answered, then stream_incomplete: closed", "it may have died"},
    {"an_answer_that_cannot_be_read", but([](facts& f) {
         f.measured.value.requests = 3;
         f.measured.fault = {errc::bad_response, {"an event cannot be read", "", 0}};
     }),
     "requests", bad, "3 answered, then bad_response: an event cannot be read",
     "check the server's log"},
    {"time_that_ran_out", measured([](doctor_measurements& m) { m.ran_out = true; }), "requests",
     warning, "24 answered, in 3 rounds on slots 0 and 1; measuring exceeded its time limit",
     "check whether the server is slow or busy"},
    {"time_that_ran_out_on_a_server_that_says_nothing", but([](facts& f) {
         f.measured.value = {.slots = {0, 1}, .ran_out = true};
     }),
     "requests", bad, "0 answered on slots 0 and 1; measuring exceeded its time limit",
     "check whether the server is slow or busy"},
    {"a_stop", but([](facts& f) { f.stopped = true; }), "requests", note,
     "24 answered, in 3 rounds on slots 0 and 1; stopped"},

    {"a_first_token", good(), "first_token", ok,
     "120 ms with 256 tokens to evaluate, 12 ms with one"},
    {"a_late_first_token",
     measured([](doctor_measurements& m) { m.median.first_token_cold_ms = 1500; }), "first_token",
     warning, "1.50 s with 256 tokens to evaluate, 12 ms with one",
     "the voice starts late: use a smaller model, a GPU (-ngl 99) or more --threads"},

    {"a_speed", good(), "speed", ok, "45.2 tokens/s, prompts 2500 tokens/s"},
    {"a_slow_model", measured([](doctor_measurements& m) { m.median.tokens_per_second = 8; }),
     "speed", warning,
     "8.0 tokens/s, prompts 2500 tokens/s: the voice waits more than a second for a sentence",
     "use a smaller model or quantization, or a GPU (-ngl 99)"},
    {"a_model_slower_than_speech",
     measured([](doctor_measurements& m) { m.median.tokens_per_second = 2; }), "speed", bad,
     "2.0 tokens/s, prompts 2500 tokens/s: slower than speech",
     "use a smaller model or quantization, or a GPU (-ngl 99)"},

    {"a_cut", good(), "cut", ok, "idle after 22 ms; 1 token after the cut"},
    {"a_cut_that_takes_long",
     measured([](doctor_measurements& m) { m.median.cut_to_idle_ms = 900; }), "cut", warning,
     "idle after 900 ms; 1 token after the cut",
     "check for a proxy, or for speculative decoding with long drafts"},
    {"a_cut_that_much_runs_on_after",
     measured([](doctor_measurements& m) { m.median.tokens_after_cut = 40; }), "cut", warning,
     "idle after 22 ms; 40 tokens after the cut",
     "check for a proxy, or for speculative decoding with long drafts"},
    {"a_cut_of_a_run_that_was_stopped_early", but([](facts& f) {
         f.stopped = true;
         f.measured.value.rounds = 1;
         f.measured.value.median.tokens_after_cut = 162;
     }),
     "cut", note,
     "idle after 22 ms; 162 tokens after the cut; measured only once, which is not enough to judge "
     "it"},
    {"a_cut_without_effect", measured([](doctor_measurements& m) { m.busy_after_cut_ms = 5000; }),
     "cut", bad, "the slot was still busy 5.00 s after the connection was closed",
     "check for a proxy that does not forward the close"},

    {"same_slot", good(), "cache_same_slot", ok, "after a cut, 1 of 280 tokens evaluated"},
    {"same_slot_from_a_checkpoint", measured([](doctor_measurements& m) {
         m.median.same_slot = cache_usage{252, 28};
     }),
     "cache_same_slot", note,
     "after a cut, 28 of 280 tokens evaluated, normal for models that cannot roll back tokens"},
    {"same_slot_lost", measured([](doctor_measurements& m) {
         m.median.same_slot = cache_usage{0, 280};
     }),
     "cache_same_slot", warning, "after a cut, 280 of 280 tokens evaluated",
     "the model cannot roll back tokens: keep --ctx-checkpoints on, and try --swa-full"},

    {"other_slot", good(), "cache_other_slot", ok, "without prefill, 281 of 281 tokens evaluated"},
    {"prefilled_slot", good(), "cache_prefilled_slot", ok,
     "the other slot, 1 of 282 tokens evaluated"},

    {"pinned_slots", good(), "pinned_slots", ok, "each keeps its cache while another one is used"},
    {"pinned_slots_lost", measured([](doctor_measurements& m) {
         m.median.first_slot_again = cache_usage{0, 283};
     }),
     "pinned_slots", bad,
     "a slot loses its cache when another one is used: 0 of 283 tokens left (llama.cpp #28139)",
     "start llama-server with --parallel 2, which gives each slot a cache of its own, or with "
     "--no-cache-idle-slots"},

    {"host_memory", good(), "host_memory", ok,
     "brings conversations back into a slot: 1 of 284 tokens evaluated, first token after 14 ms"},
    {"no_host_memory", measured([](doctor_measurements& m) {
         m.median.after_change = cache_usage{0, 284};
         m.median.first_token_after_change_ms = 130;
     }),
     "host_memory", warning,
     "does not bring conversations back into a slot: 284 of 284 tokens evaluated, first token "
     "after 130 ms",
     "start llama-server with --cache-ram 8192, or with a --parallel that gives each caller slots "
     "of its own"},
};

class doctor_finding : public testing::TestWithParam<row> {};

TEST_P(doctor_finding, says) {
    const auto& expected = GetParam();
    const auto all = collect_findings(expected.found());
    const auto found = std::ranges::find(all, expected.finding_name, &finding::name);
    ASSERT_NE(found, all.end());
    EXPECT_EQ(found->message, expected.message);
    EXPECT_EQ(found->remedy, expected.remedy);
    EXPECT_EQ(status_name(found->status), status_name(expected.status));
    EXPECT_EQ(has_bad_finding(all), expected.status == bad);
}

INSTANTIATE_TEST_SUITE_P(of, doctor_finding, testing::ValuesIn(rows),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(doctor_findings, each_have_a_row) {
    std::set<std::string> expected;
    std::set<std::string> found;
    for (const auto& r : rows) {
        expected.insert(r.finding_name);
        for (const auto& f : collect_findings(r.found())) found.insert(f.name);
    }
    EXPECT_EQ(found, expected);
}

// The names in the first column of the tables in docs/doctor.md.
std::set<std::string> documented() {
    std::ifstream file(TANDEM_SOURCE_DIR "/docs/doctor.md");
    std::set<std::string> names;
    static const std::regex first_column("^\\| `([a-z_]+)` \\|.*");
    for (std::string line; std::getline(file, line);)
        if (std::smatch match; std::regex_match(line, match, first_column)) names.insert(match[1]);
    return names;
}

TEST(doctor_findings, are_in_the_documentation) {
    std::set<std::string> names;
    for (const auto& r : rows) names.insert(r.finding_name);
    EXPECT_THAT(documented(), testing::IsSupersetOf(names));
}

TEST(doctor_findings, report_what_to_do_wherever_something_is_wrong) {
    for (const auto& r : rows)
        for (const auto& f : collect_findings(r.found()))
            EXPECT_TRUE(f.status < warning || !f.remedy.empty()) << r.name << ": " << f.message;
}

TEST(doctor_findings, are_none_before_anything_was_asked) {
    EXPECT_THAT(collect_findings({}), IsEmpty());
}

TEST(doctor_findings, leave_out_what_was_not_measured) {
    auto f = good_facts();
    f.measured.value = {.slots = {0, 1}};
    EXPECT_EQ(std::ranges::count(collect_findings(f), finding_group::measured, &finding::group), 1);
}

TEST(doctor_words, leave_pages_of_html_out) {
    const auto w = split_error_message(
        {errc::not_supported, {"not there (HTTP 404)", "<!DOCTYPE HTML>", 404}});
    EXPECT_EQ(w.what, "not there (HTTP 404)");
}

TEST(doctor_words, of_an_error_without_any_are_those_of_its_code) {
    const auto w = split_error_message({errc::server_gone, {}});
    EXPECT_EQ(w.what, tandem::make_error_code(errc::server_gone).message());
}

}  // namespace
