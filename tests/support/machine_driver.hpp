#pragma once

#include "reply/machine/reply_machine.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::test {

/// Feeds events to a reply machine, and records each of the machine's actions as a short line.
class machine_driver {
 public:
    explicit machine_driver(detail::reply_rules rules = default_rules(),
                            text::chunk_limits limits = {.first_min_tokens = 0},
                            std::string prompt = "P", boundary_rule rule = boundary_rule::classic)
        : machine(1, rules, text::make_boundary_detector(rule), limits),
          prompt_(std::move(prompt)) {}

    static detail::reply_rules default_rules() {
        using namespace std::chrono_literals;
        return {.peek_hold = 250ms,
                .first_token_timeout = 60s,
                .between_tokens_timeout = 10s,
                .continue_timeout = 30s};
    }

    /// The actions since the last call.
    std::vector<std::string> wants() {
        note_actions();
        return std::exchange(noted_, {});
    }

    void pass(duration d) { now += d; }
    void start(int slots = 2) { start({.prompt = {.text = prompt_}}, slots); }
    void start(detail::reply_origin from, int slots = 2) {
        machine.start(now);
        // The first server is found immediately, so the request for it is not recorded.
        machine.take_actions();
        machine.on_server_found(now, slots, std::move(from));
    }
    void found(int slots = 2, detail::reply_origin from = {}) {
        note_actions();
        machine.on_server_found(now, slots, std::move(from));
    }
    void not_found(errc code) {
        note_actions();
        machine.on_no_server(now, {code, {.client_message = "no server"}});
    }
    void checked(std::string text) {
        note_actions();
        machine.on_ids_checked(now, text);
    }
    void grant(int slot, bool reused = false, duration guard_wait = {}) {
        note_actions();
        predicted_ = 0;
        machine.on_slot_granted(now, slot, reused, guard_wait);
    }
    void grant_warm(int slot) {
        note_actions();
        machine.on_warm_slot_granted(now, slot);
    }
    /// Feeds the whole answer to the prefill request, which evaluated this number of tokens.
    void warmed(int evaluated = 1) {
        note_actions();
        machine.on_warming_started();
        wire::token_event e;
        e.tokens = {7};
        machine.on_warming_event(now, e);
        e = {};
        e.what = wire::token_event::kind::final;
        e.has_timings = true;
        e.timings.evaluated = evaluated;
        machine.on_warming_event(now, e);
    }
    void begun() { machine.on_response_started(now); }
    void ask() { machine.on_chunk_requested(now); }
    void go_on(std::uint32_t seq) {
        note_actions();
        machine.on_continued(now, {machine.id(), seq});
    }
    void interrupt() { machine.on_interrupted(now); }
    void deadline() { machine.on_deadline(now); }
    void tokenized(std::vector<wire::token_id> ids) {
        machine.on_prompt_tokenized(now, std::move(ids));
    }
    void recovered(std::vector<wire::token_id> ids) { machine.on_tokens_recovered(now, ids); }
    void parsed(std::vector<tool_call> calls) {
        note_actions();
        machine.on_calls_parsed(now, std::move(calls));
    }
    void fail(errc code) {
        machine.on_request_failed(now, {code, {.client_message = "it failed"}});
    }

    /// Feeds a token event. Before this event, `lost` tokens came without an event.
    void token(std::string text, wire::token_id id = 7, int lost = 0) {
        wire::token_event e;
        e.content = std::move(text);
        e.tokens = {id};
        e.predicted = predicted_ += 1 + lost;
        e.prompt_tokens = prompt_tokens;
        e.has_timings = true;
        e.timings = timings;
        machine.on_event_read(now, e);
    }
    template <class... Texts>
    void tokens(Texts... texts) {
        (token(texts), ...);
    }
    /// Feeds the final event. If the reply stops at an end token, feeds that token's event first.
    void final(wire::stop_type stop = wire::stop_type::eos) {
        if (stop == wire::stop_type::eos) token("", 2);
        wire::token_event e;
        e.what = wire::token_event::kind::final;
        e.predicted = predicted_;
        e.prompt_tokens = prompt_tokens;
        e.stop = stop;
        machine.on_event_read(now, e);
    }

    /// Starts a reply that runs a request on slot 0.
    void begin() {
        ask();
        start();
        grant(0);
        wants();
    }

    time_point now{std::chrono::hours(1)};
    int prompt_tokens = 1;
    wire::timings timings;
    /// The immediate answer of /tokenize for the prompt. If unset, the test calls tokenized().
    std::optional<std::vector<wire::token_id>> prompt_ids{{101}};
    /// The answer when the machine asks whether another reply needs the slot sooner.
    bool is_slot_wanted = false;
    /// The tokens of each record_progress action, which does not count the first token.
    std::vector<int> progress{};
    /// Whether the machine has released its ownership of slots.
    bool left_slots = false;
    /// What the machine said about the slot that it released last.
    slots::release_info released{};
    /// The chunks of the hand-over actions recorded so far.
    std::vector<chunk> handed_over;
    detail::reply_machine machine;

 private:
    void note_actions() {
        for (auto actions = machine.take_actions(); !actions.empty();
             actions = machine.take_actions())
            for (auto& a : actions) std::visit([this](auto& value) { note(value); }, a);
    }
    void note(const detail::action::request_server&) { noted_.push_back("server?"); }
    void note(const detail::action::check_ids&) {
        noted_.push_back(fmt::format("check {}", fmt::join(machine.next_prompt().ids, ",")));
    }
    void note(const detail::action::log_failover&) {
        noted_.push_back("lost: " + error_name(machine.failover_cause().ec));
    }
    void note(const detail::action::tokenize_prompt&) {
        if (prompt_ids) return tokenized(*prompt_ids);
        noted_.push_back("tokenize");
    }
    void note(const detail::action::recover_tokens& a) {
        noted_.push_back(fmt::format("recover {}", fmt::join(a.texts, "|")));
    }
    void note(const detail::action::request_slot&) { noted_.push_back("slot?"); }
    void note(const detail::action::update_slot_request&) {
        noted_.push_back(
            fmt::format("slot, due {:.0f} ms", to_ms(machine.speech_runs_out_at(now) - now)));
    }
    void note(const detail::action::check_slot_demand& a) {
        noted_.push_back(fmt::format("slot {} wanted?", a.slot));
        if (is_slot_wanted) machine.on_slot_wanted(now);
    }
    void note(const detail::action::record_progress& a) { progress.push_back(a.generated.tokens); }
    void note(const detail::action::cancel_slot_request&) { noted_.push_back("slot no more"); }
    void note(const detail::action::send_request& a) {
        noted_.push_back(
            fmt::format("send {} n={} {}", a.slot, a.n_predict, shown(machine.next_prompt())));
    }
    static std::string shown(const detail::prompt_view& p) {
        const auto ids = fmt::format("{}", fmt::join(p.ids, ","));
        if (p.as_ids()) return ids;
        return fmt::format("{}{}'{}'", ids, ids.empty() ? "" : " ", p.text);
    }
    void note(const detail::action::parse_calls& a) {
        noted_.push_back(fmt::format("parse '{}' on {}", machine.transcript().generated(), a.slot));
    }
    void note(const detail::action::force_calls& a) {
        noted_.push_back(fmt::format("force on {}", a.slot));
    }
    void note(const detail::action::report_calls& a) {
        for (const auto& c : a.calls) noted_.push_back("call " + c.name);
    }
    void note(const detail::action::close_connection&) { noted_.push_back("close"); }
    void note(const detail::action::release_slot& a) {
        released = a.note;
        noted_.push_back(fmt::format(
            "release {}{}{}{}", a.slot, a.erase ? " erased" : "",
            a.note.server_state == slots::server_slot_state::maybe_busy ? ", maybe busy" : "",
            a.note.is_use ? "" : ", no use"));
    }
    void note(const detail::action::release_slot_ownership&) { left_slots = true; }
    void note(const detail::action::request_warm_slot&) { noted_.push_back("warm slot?"); }
    void note(const detail::action::cancel_warm_slot_request&) {
        noted_.push_back("warm slot no more");
    }
    void note(const detail::action::send_warming_request& a) {
        noted_.push_back(fmt::format("warm {} {}", a.slot, shown(machine.warming_prompt())));
    }
    void note(const detail::action::close_warming_connection&) { noted_.push_back("close warm"); }
    void note(const detail::action::hand_over& a) {
        handed_over.push_back(a.value);
        if (a.value.text.empty())
            return noted_.push_back(
                fmt::format("thought {} '{}'", a.value.id.seq, a.value.reasoning));
        noted_.push_back(fmt::format("chunk {} '{}' {}", a.value.id.seq, a.value.text,
                                     to_string(a.value.boundary)));
    }
    void note(const detail::action::log_late_start& a) {
        noted_.push_back(fmt::format("slot {} held back for {:.0f} ms", a.slot, to_ms(a.held)));
    }
    void note(const detail::action::report_timeout& a) {
        noted_.push_back("late: " + error_name(a.code));
    }
    void note(const detail::action::log_slot_mismatch& a) {
        noted_.push_back(fmt::format("slot {} for {}", a.used, a.asked));
    }
    void note(const detail::action::finish&) {
        const auto& r = machine.result();
        noted_.push_back(r.error ? "end " + error_name(r.error)
                                 : fmt::format("end {}", to_string(r.finish_reason)));
    }

    std::string prompt_;
    std::vector<std::string> noted_;
    int predicted_ = 0;
};

}  // namespace tandem::test
