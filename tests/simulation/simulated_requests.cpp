#include "simulation/simulated_reply.hpp"

#include <utility>

// The requests of a simulated reply, and their faults.
namespace tandem::test {

using namespace std::chrono_literals;

namespace {

/// The share of invalid calls among those that a model writes.
constexpr double invalid_call_share = 0.2;

}  // namespace

std::optional<model_position> simulated_reply::position_of(
    const detail::prompt_view& prompt) const {
    return prompt.as_ids() ? plan_.model.position_of(prompt.ids, site_.core->vocabulary())
                           : plan_.model.position_of(prompt.text);
}

/// Whether the server was restarted with another model while the reply had no request there.
bool simulated_reply::has_ids_of_another_vocabulary() const {
    return site_.core->starts() != starts_ && machine_.next_prompt().as_ids() &&
           !position_of(machine_.next_prompt());
}

void simulated_reply::open(request& r, int slot) {
    world_.check(!r.open && !r.slot_held, "one request at a time");
    site_.core->slots().use(slot);
    r.open = r.slot_held = true;
    ++r.id;
}

void simulated_reply::close(request& r) {
    world_.check(r.open, "only an open connection is closed");
    r.open = false;
}

answer_plan simulated_reply::plan_of(std::size_t events) const {
    auto& random = world_.random();
    answer_plan plan{.as_bytes = chance(random, habits_.bytes)};
    if (chance(random, habits_.fault))
        plan.what = static_cast<fault>(pick(random, 1, static_cast<int>(fault::behind_the_end)));
    plan.at = static_cast<std::size_t>(pick(random, 0, static_cast<int>(events) - 1));
    return plan;
}

void simulated_reply::perform(const detail::action::send_request& a) {
    const bool generates_early = plan_.mode != pacing::strict && plan_.mode != pacing::warm;
    world_.check(unspoken_.empty() || generates_early || has_read_call(),
                 "nothing is requested before continue, except the rest of a call");
    open(live_, a.slot);
    const auto id = live_.id;
    if (!site_.core->is_up())
        return world_.at(10ms, [this, id] { refuse(id, {errc::connect_failed, {}}); });
    if (site_.core->hangs()) return explain_silence();
    if (has_ids_of_another_vocabulary()) {
        world_.note("ids reach a server that was started anew");
        return world_.at(10ms, [this, id] { refuse(id, {errc::bad_request, {}}); });
    }
    const auto position = position_of(machine_.next_prompt());
    world_.check(position.has_value(), "the prompt is the text of the reply so far");
    if (!position) return;
    const auto read = machine_.transcript().generated().size();
    world_.check(plan_.model.bytes_before(*position) == read && read >= generated_,
                 "no text that was read is generated again");
    generated_ = read;
    auto events = events_from(plan_.model, *position, a.n_predict, site_.core->vocabulary());
    if (events.empty())
        return world_.at(10ms, [this, id] { refuse(id, {errc::prompt_too_long, {}}); });
    events.back().id_slot = site_.core->slot_for(a.slot);
    const auto plan = plan_of(events.size());
    for (const auto code : errors_of(plan.what)) explain(code);
    if (plan.what != fault::none) world_.note("a fault");
    live_.answer = std::make_shared<simulated_answer>(std::move(events), plan);
    world_.at(up_to(world_.random(), 800), [this, id] { answer(id); });
}

bool simulated_reply::has_read_call() const {
    return machine_.transcript().generated().find(call_mark) != std::string_view::npos;
}

void simulated_reply::perform(const detail::action::parse_calls& a) {
    world_.check(has_read_call(), "only a reply with a call has it parsed");
    request_calls(a.slot, chance(world_.random(), invalid_call_share));
}

void simulated_reply::perform(const detail::action::force_calls& a) {
    world_.note("invalid calls are generated anew");
    request_calls(a.slot, false);
}

void simulated_reply::request_calls(int slot, bool are_invalid) {
    // If the request that generated the call is still open, this request takes over its slot.
    if (live_.open)
        ++live_.id;
    else
        open(live_, slot);
    const auto id = live_.id;
    if (!site_.core->is_up())
        return world_.at(10ms, [this, id] { refuse(id, {errc::connect_failed, {}}); });
    if (site_.core->hangs()) return explain_silence();
    const bool fails = chance(world_.random(), habits_.fault);
    world_.at(up_to(world_.random(), 300), [this, id, fails, are_invalid] {
        if (!is_live(id)) return;
        if (fails) return refuse(id, {errc::stream_incomplete, {}});
        const auto name = std::to_string(machine_.id());
        std::vector<tool_call> calls;
        if (!are_invalid)
            calls = {{.id = name + "a", .name = "one"}, {.id = name + "b", .name = "two"}};
        machine_.on_calls_parsed(world_.now(), std::move(calls));
        perform_actions();
    });
}

void simulated_reply::perform(const detail::action::report_calls& a) {
    world_.note("calls are reported");
    listener_.on_called(machine_.id(), a.calls);
}

// A timeout of the reply or a health check ends the silence, so the errors of the timeouts are
// expected.
void simulated_reply::explain_silence() {
    for (const auto what : {fault::never_begins, fault::stall})
        for (const auto code : errors_of(what)) explain(code);
}

void simulated_reply::refuse(std::uint64_t id, const failure& why) {
    if (!is_live(id)) return;
    on_request_failed(why);
    perform_actions();
}

void simulated_reply::answer(std::uint64_t id) {
    if (!is_live(id)) return;
    if (site_.core->hangs()) return explain_silence();
    const auto what = live_.answer->plan().what;
    if (what == fault::never_begins) return;
    if (what == fault::refused || what == fault::loading || what == fault::server_error)
        return refuse(id, refusal(what));
    lost_since_.reset();
    machine_.on_response_started(world_.now());
    perform_actions();
    piece_arrives(id);
}

void simulated_reply::piece_arrives(std::uint64_t id) {
    if (!is_live(id)) return;
    if (site_.core->hangs()) {
        explain_silence();
        return world_.at(100ms, [this, id] { piece_arrives(id); });
    }
    // Keeps the answer alive, because the piece may end the request.
    const auto from = live_.answer;
    from->arrive(world_.random());
    read_events(id, *from);
    if (!is_live(id)) return events_come_late(*from);
    if (const auto why = from->failed()) {
        on_request_failed(*why);
        return perform_actions();
    }
    if (!from->is_over()) world_.at(habits_.token_time, [this, id] { piece_arrives(id); });
}

void simulated_reply::read_events(std::uint64_t id, simulated_answer& from) {
    wire::token_event event;
    while (is_live(id) && from.read(event)) {
        site_.core->request_answered();
        if (event.what == wire::token_event::kind::token && !event.content.empty()) {
            broken_ = 0;
            lost_since_.reset();
        }
        machine_.on_event_read(world_.now(), event);
        perform_actions();
    }
}

/// Events arrive after a cut or after the end. A machine without a request drops them.
void simulated_reply::events_come_late(simulated_answer& from) {
    wire::token_event event;
    while (!live_.open && from.read(event)) {
        const auto text = machine_.text().size();
        machine_.on_event_read(world_.now(), event);
        world_.check(machine_.text().size() == text, "late data is dropped");
        perform_actions();
    }
}

void simulated_reply::on_request_failed(const failure& why) {
    report_failure(static_cast<errc>(why.ec.value()));
    machine_.on_request_failed(world_.now(), why);
}

void simulated_reply::report_failure(errc why) {
    explain(why);
    site_.core->on_request_failed(why);
    if (source_.failed) source_.failed(*site_.core, why);
}

// --- prefilling

void simulated_reply::perform(const detail::action::send_warming_request& a) {
    open(warm_, a.slot);
    world_.check(!live_.open, "a slot is prefilled while the reply rests");
    const auto whole = machine_.next_prompt();
    const auto prompt = machine_.warming_prompt();
    world_.check(has_ids_of_another_vocabulary() || position_of(prompt).has_value(),
                 "a slot is prefilled with the reply so far");
    world_.check(prompt.ids.size() + (whole.as_ids() ? 1 : 0) == whole.ids.size(),
                 "one token is left for the next request");
    // Without an answer, a timeout must end the request.
    if (chance(world_.random(), habits_.fault) || site_.core->hangs()) return;
    const auto id = warm_.id;
    const int begins = site_.core->is_up() ? 600 : 10;
    world_.at(up_to(world_.random(), begins), [this, id] {
        if (id == warm_.id && warm_.open) machine_.on_warming_started();
        world_.at(up_to(world_.random(), site_.core->is_up() ? 3000 : 10),
                  [this, id] { end_warming(id); });
    });
}

void simulated_reply::end_warming(std::uint64_t id) {
    if (id != warm_.id || !warm_.open) return;
    if (chance(world_.random(), habits_.fault) || !site_.core->is_up()) {
        report_failure(errc::connect_failed);
        site_.core->prepare([](const error_code&) {});
        machine_.on_warming_failed(world_.now(), {errc::connect_failed, {}});
    } else {
        wire::token_event last;
        last.what = wire::token_event::kind::final;
        machine_.on_warming_event(world_.now(), last);
    }
    perform_actions();
}

// --- ends of requests

void simulated_reply::perform(const detail::action::close_connection&) {
    close(live_);
}

void simulated_reply::perform(const detail::action::close_warming_connection&) {
    close(warm_);
}

void simulated_reply::perform(const detail::action::release_slot& a) {
    // Of the two requests, the one whose connection is closed releases its slot.
    auto& ended = live_.slot_held && !live_.open ? live_ : warm_;
    world_.check(ended.slot_held && !ended.open, "a slot is released once, after its request");
    world_.check(!a.erase || plan_.rules.erase_after_cut,
                 "a slot is erased only if the rules require it");
    world_.check(a.note.is_use || &ended == &warm_,
                 "only a prefill does not count as a use of the slot");
    ended.slot_held = false;
    auto note = a.note;
    note.holds = machine_.text().substr(0, a.holds_bytes);
    site_.core->slots().release(a.slot, std::move(note));
}

void simulated_reply::perform(const detail::action::log_late_start& a) {
    world_.check(live_.open && a.held >= 500ms, "only a late answer is logged");
}

}  // namespace tandem::test
