#include "simulation/simulated_reply.hpp"

#include "text/characters/utf8.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include <algorithm>
#include <utility>

// The servers, slots and consumer of a simulated reply. The requests are in
// simulated_requests.cpp, the promises in simulated_promises.cpp.

namespace tandem::test {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {
boundary_rule random_rule(rng& random) {
    return chance(random, 0.5) ? boundary_rule::classic : boundary_rule::spoken;
}
}  // namespace

namespace {
duration random_queue_timeout(rng& random) {
    if (chance(random, 0.8)) return 24h;
    return milliseconds(chance(random, 0.5) ? 10'000 : pick(random, 1, 3000));
}

detail::reply_rules random_rules(rng& random, const simulated_model& model, pacing mode) {
    auto pace =
        detail::make_pacing_rules(mode, {.ahead_chunks = pick(random, 1, 3),
                                         .held_chunks_max = pick(random, 1, 6),
                                         .ahead_speech = milliseconds(pick(random, 1000, 10'000))});
    if (mode == pacing::stream && chance(random, 0.3)) pace = detail::uncut;
    return {.pacing = pace,
            .peek_hold = milliseconds(pick(random, 0, 3) * 100),
            .first_token_timeout = milliseconds(pick(random, 500, 60'000)),
            .between_tokens_timeout = milliseconds(pick(random, 400, 10'000)),
            .continue_timeout = 30s,
            .queue_timeout = random_queue_timeout(random),
            .reply_timeout = chance(random, 0.9) ? 0s : milliseconds(pick(random, 1, 60'000)),
            .retry_policy = {chance(random, 0.3) ? 0 : pick(random, 1, 4),
                             milliseconds(pick(random, 1, 8000))},
            .chunk_deadline = milliseconds(chance(random, 0.7) ? 0 : pick(random, 1, 2000)),
            .max_tokens = chance(random, 0.2) ? pick(random, 1, 60) : 0,
            .erase_after_cut = chance(random, 0.1),
            .has_stop_words = !model.stop_word().empty(),
            .lookahead = static_cast<std::size_t>(chance(random, 0.7) ? 0 : pick(random, 1, 8))};
}

text::chunk_limits random_limits(rng& random) {
    if (chance(random, 0.5)) return {};
    return {.first_min_tokens = pick(random, 0, 12),
            .first_max_tokens = pick(random, 0, 24),
            .max_tokens = pick(random, 0, 30),
            .by_token = chance(random, 0.1)};
}
}  // namespace

reply_plan random_plan(rng& random, std::string prompt) {
    simulated_model model(random, std::move(prompt));
    const auto mode = static_cast<pacing>(pick(random, 0, 4));
    auto rules = random_rules(random, model, mode);
    const auto limits = random_limits(random);
    return {std::move(model), mode, std::move(rules), limits, random_rule(random)};
}

simulated_source make_single_server_source(simulated_server& core, slots::owner_id owner,
                                           detail::reply_origin origin) {
    const auto ask = [&core, owner, starts = core.starts()](detail::reply_origin from,
                                                            const start_handler& done) {
        if (core.refuses()) return done({.why = {errc::circuit_open, {}}});
        core.prepare([&core, owner, starts, from = std::move(from), done](const error_code& ec) {
            if (ec) core.on_request_failed(ec);
            simulated_start found{.why = {ec, {}}, .where = {&core, owner}, .origin = from};
            // A restarted server may have another model with other ids, so the old ids are dropped,
            // as a conversation does.
            if (found.origin.rest && core.told_starts() != starts)
                found.origin.rest->text.forget_ids();
            done(std::move(found));
        });
    };
    return {.start = [ask,
                      origin = std::move(origin)](const start_handler& done) { ask(origin, done); },
            .go_on = [ask](const failure&, const start_handler& done) { ask({}, done); }};
}

simulated_reply::simulated_reply(simulated_world& world, std::uint64_t id, reply_plan plan,
                                 simulated_source source, detail::reply_listener& listener)
    : world_(world),
      plan_(std::move(plan)),
      habits_(random_habits(world.random())),
      source_(std::move(source)),
      listener_(listener),
      machine_(id, plan_.rules, text::make_boundary_detector(plan_.rule), plan_.limits) {}

namespace {
std::optional<std::uint32_t> random_end(rng& random) {
    if (chance(random, 0.95)) return std::nullopt;
    return static_cast<std::uint32_t>(pick(random, 0, 4));
}

int random_speech_time(rng& random) {
    constexpr int longest[] = {0, 300, 5000};
    return pick(random, 0, longest[pick(random, 0, 2)]);
}
}  // namespace

simulated_reply::habits simulated_reply::random_habits(rng& random) {
    return {.token_time = milliseconds(pick(random, 0, 60)),
            .speech_time = milliseconds(random_speech_time(random)),
            .fault = chance(random, 0.3) ? 0.4 : 0,
            .tokenize_fault = chance(random, 0.2) ? 0.5 : 0,
            .bytes = chance(random, 0.2) ? 0.5 : 0,
            .interrupts = chance(random, 0.3),
            .takes_back = chance(random, 0.2),
            .asks_until = random_end(random),
            .continues_until = random_end(random)};
}

void simulated_reply::start() {
    waits_since_ = world_.now();
    machine_.start(world_.now());
    if (chance(world_.random(), 0.9))
        request_next_chunk();
    else
        world_.at(up_to(world_.random(), 3000), [this] { request_next_chunk(); });
    if (habits_.interrupts) world_.at(up_to(world_.random(), 20'000), [this] { interrupt(); });
    perform_actions();
}

void simulated_reply::interrupt() {
    habits_.interrupts = true;
    machine_.on_interrupted(world_.now());
    perform_actions();
}

void simulated_reply::leave_server(const detail::server_leave_reason& reason) {
    using kind = detail::server_leave_reason::kind;
    const auto before = machine_.phase();
    machine_.leave_server(world_.now(), reason);
    if (machine_.phase() == before) return;
    const bool seeks = machine_.phase() == detail::reply_phase::seeking;
    // A failed health check alone must not end a reply, so it explains no error.
    if (seeks || reason.what == kind::removed) explain(static_cast<errc>(reason.why.ec.value()));
    if (seeks && before == detail::reply_phase::resting)
        world_.note("a reply that rests leaves its server");
    if (seeks && reason.what == kind::hangs && live_.open)
        world_.note("a request is given up at a server that hangs");
    perform_actions();
}

void simulated_reply::commit_draft() {
    machine_.on_draft_committed(world_.now());
    perform_actions();
}

void simulated_reply::server_died(const simulated_server& which) {
    if (site_.core != &which) return;
    if (warm_.open) {
        report_failure(errc::stream_incomplete);
        site_.core->prepare([](const error_code&) {});
        machine_.on_warming_failed(world_.now(), {errc::stream_incomplete, {}});
    }
    if (live_.open) on_request_failed({errc::stream_incomplete, {}});
    perform_actions();
}

void simulated_reply::perform_actions() {
    if (std::exchange(performing_, true)) return;
    for (auto actions = machine_.take_actions(); !actions.empty();
         actions = machine_.take_actions())
        for (const auto& a : actions) std::visit([this](const auto& value) { perform(value); }, a);
    performing_ = false;
    arm_timer();
}

// --- servers

void simulated_reply::perform(const detail::action::request_server&) {
    world_.check(!live_.open && !live_.slot_held, "a reply that leaves a server has nothing there");
    world_.check(!std::exchange(is_seeking_, true), "only one server is requested at a time");
    const auto done = [this](simulated_start where) {
        world_.check(std::exchange(is_seeking_, false), "an answer arrives once");
        if (!ended()) on_server_acquired(std::move(where));
    };
    if (site_.core)
        source_.go_on(machine_.failover_cause(), done);
    else
        source_.start(done);
}

void simulated_reply::on_server_acquired(simulated_start where) {
    if (where.why.ec) {
        explained_.insert(where.why.ec.value());
        machine_.on_no_server(world_.now(), where.why);
    } else {
        auto origin = std::move(where.origin);
        if (origin.rest) {
            is_resumed_ = true;
            spoken_ = origin.spoken;
            generated_ = origin.rest->text.generated().size();
            is_resumed_after_call_ =
                origin.rest->generated == finish_reason::eos && plan_.model.has_call();
        }
        if (where.where.core) switch_to_server(std::move(where));
        slots_found_ = site_.core ? site_.core->slots().count() : 0;
        machine_.on_server_found(world_.now(), slots_found_, std::move(origin));
    }
    perform_actions();
}

void simulated_reply::switch_to_server(simulated_start where) {
    if (site_.core && site_.core != where.where.core) {
        world_.note("a reply goes on at another server");
        site_.core->slots().let_go(site_.owner);
    }
    ++moves_;
    site_ = where.where;
    starts_ = site_.core->told_starts();
}

void simulated_reply::perform(const detail::action::log_failover&) {
    world_.check(plan_.rules.retry_policy.retries > 0,
                 "a reply continues only if retries are allowed");
    world_.note("a reply goes on");
    broke_off(machine_.failover_cause());
}

void simulated_reply::perform(const detail::action::report_timeout&) {
    world_.check(ticket_ == slots::no_ticket, "only a request that was sent can time out");
}

void simulated_reply::perform(const detail::action::log_slot_mismatch& a) {
    site_.core->report_slot_mismatch(a.asked, a.used);
}

// --- token ids: some answers never arrive, and some servers return no ids

template <class Answer>
void simulated_reply::later(int most, Answer what) {
    if (chance(world_.random(), 0.05) || site_.core->hangs()) return;
    world_.at(up_to(world_.random(), most), [this, at = moves_, what] {
        if (moves_ != at) return;
        what();
        perform_actions();
    });
}

bool simulated_reply::on_ids_request_failed() {
    if (site_.core->is_up()) return false;
    explain(errc::connect_failed);
    const bool is_left = machine_.on_ids_request_failed(world_.now(), {errc::connect_failed, {}});
    if (is_left) world_.note("a server that is asked about ids is away");
    return is_left;
}

void simulated_reply::perform(const detail::action::check_ids&) {
    const auto ids = machine_.next_prompt().ids;
    later(300, [this, ids = std::vector(ids.begin(), ids.end())] {
        if (on_ids_request_failed()) return;
        starts_ = site_.core->starts();
        auto text = plan_.model.text_of(ids, site_.core->vocabulary());
        if (chance(world_.random(), 0.3)) text.insert(0, "<s>");
        if (chance(world_.random(), 0.1) || !site_.core->is_up()) text.clear();
        machine_.on_ids_checked(world_.now(), text);
    });
}

void simulated_reply::perform(const detail::action::tokenize_prompt&) {
    later(300, [this] {
        if (on_ids_request_failed()) return;
        const bool fails = chance(world_.random(), habits_.tokenize_fault) || !site_.core->is_up();
        machine_.on_prompt_tokenized(world_.now(),
                                     fails ? std::vector<wire::token_id>()
                                           : plan_.model.prompt_ids(site_.core->vocabulary()));
    });
}

void simulated_reply::perform(const detail::action::recover_tokens& a) {
    later(300, [this, texts = a.texts] {
        if (on_ids_request_failed()) return;
        std::vector<wire::token_id> ids;
        for (const auto& text : texts) {
            const auto piece = plan_.model.ids_of(text, site_.core->vocabulary());
            ids.insert(ids.end(), piece.begin(), piece.end());
            ids.push_back(detail::reply_transcript::separator);
        }
        const bool fails = chance(world_.random(), habits_.tokenize_fault) || !site_.core->is_up();
        if (fails) ids.clear();
        machine_.on_tokens_recovered(world_.now(), ids);
    });
}

// --- slots

void simulated_reply::perform(const detail::action::request_slot&) {
    ticket_ = site_.core->slots().want({.prompt = std::string(machine_.text()),
                                        .warmed = machine_.warm_slot(),
                                        .kind = machine_.slot_request_kind(),
                                        .due = machine_.speech_runs_out_at(world_.now()),
                                        .owner = site_.owner,
                                        .was_here = machine_.has_begun(),
                                        .avoid = machine_.failed_slot()},
                                       [this](const slots::grant& g) {
                                           ticket_ = slots::no_ticket;
                                           if (!machine_.is_waiting_for_slot()) return false;
                                           machine_.on_slot_granted(world_.now(), g.slot, g.reused,
                                                                    g.guard_wait);
                                           perform_actions();
                                           return true;
                                       });
    if (ticket_ != slots::no_ticket) return site_.core->slots().give();
    explain(errc::queue_full);
    machine_.on_slot_refused(world_.now());
}

void simulated_reply::perform(const detail::action::update_slot_request&) {
    world_.note("the due time of a waiting reply changes");
    site_.core->slots().set_due(ticket_, machine_.speech_runs_out_at(world_.now()));
}

void simulated_reply::perform(const detail::action::record_progress& a) {
    world_.check(live_.open && live_.slot_held, "only a running request reports its progress");
    site_.core->slots().record_progress(a.slot, a.generated);
}

void simulated_reply::perform(const detail::action::check_slot_demand& a) {
    world_.check(live_.open && live_.slot_held,
                 "only a running request asks whether its slot is wanted");
    if (!site_.core->slots().should_yield_slot(a.slot, machine_.speech_runs_out_at(world_.now())))
        return;
    world_.note("a request ends for a reply that is due sooner");
    machine_.on_slot_wanted(world_.now());
}

void simulated_reply::perform(const detail::action::cancel_slot_request&) {
    site_.core->slots().forget(std::exchange(ticket_, slots::no_ticket));
}

void simulated_reply::perform(const detail::action::release_slot_ownership&) {
    if (site_.core) site_.core->slots().let_go(site_.owner);
}

void simulated_reply::perform(const detail::action::request_warm_slot&) {
    world_.check(plan_.mode == pacing::warm && slots_found_ > 1,
                 "only warm replies prefill, and only another slot");
    warm_ticket_ = site_.core->slots().want({.prompt = std::string(machine_.text()),
                                             .kind = slots::request_kind::background,
                                             .owner = site_.owner},
                                            [this](const slots::grant& g) {
                                                warm_ticket_ = slots::no_ticket;
                                                if (!machine_.is_waiting_for_warm_slot())
                                                    return false;
                                                machine_.on_warm_slot_granted(world_.now(), g.slot);
                                                perform_actions();
                                                return true;
                                            });
    site_.core->slots().give();
}

void simulated_reply::perform(const detail::action::cancel_warm_slot_request&) {
    site_.core->slots().forget(std::exchange(warm_ticket_, slots::no_ticket));
}

// --- the consumer

void simulated_reply::request_next_chunk() {
    if (ended() || asked_ || next_seq_ >= habits_.asks_until.value_or(next_seq_ + 1)) return;
    asked_ = true;
    machine_.on_chunk_requested(world_.now());
    perform_actions();
    if (asked_ && habits_.takes_back && chance(world_.random(), 0.5))
        world_.at(milliseconds(pick(world_.random(), 0, 500)), [this] { take_back(); });
}

void simulated_reply::take_back() {
    if (!std::exchange(asked_, false)) return;
    machine_.on_chunk_request_withdrawn();
    world_.at(milliseconds(pick(world_.random(), 0, 3000)), [this] { request_next_chunk(); });
}

void simulated_reply::perform(const detail::action::hand_over& a) {
    world_.check(!plan_.rules.is_draft, "nothing of a draft is handed over");
    world_.check(std::exchange(asked_, false), "a chunk is handed over only on request");
    world_.check(unspoken_.size() <= plan_.rules.lookahead,
                 "a chunk waits for the continue of those before it, but for the lookahead");
    world_.check(a.value.early == !unspoken_.empty(), "a chunk before its time is marked");
    if (machine_.phase() == detail::reply_phase::generated && unspoken_.empty() &&
        !silence_before_last_chunk_)
        silence_before_last_chunk_ = measure_silence();
    unspoken_.push_back(a.value.id);
    world_.check(a.value.id.seq == next_seq_++, "chunks arrive in order");
    world_.check(!a.value.text.empty(), "no chunk is empty");
    world_.check(text::find_invalid_utf8(a.value.text) == std::string_view::npos,
                 "each chunk is valid UTF-8");
    handed_over_ += a.value.text;
    spoken_ += a.value.text;
    last_chunk_ = a.value.text;
    world_.check(std::string_view(plan_.model.text()).starts_with(spoken_),
                 "no byte is lost, doubled or wrong");
    listener_.on_handed_over(a.value);
    say_stale_things();
    if (chance(world_.random(), 0.3))
        machine_.speaks_until(world_.now(), a.value.id, up_to(world_.random(), 10'000));
    if (!a.value.early) speak();
    if (plan_.rules.lookahead > 0) world_.at({}, [this] { request_next_chunk(); });
}

void simulated_reply::speak() {
    const auto id = unspoken_.front();
    if (id.seq < habits_.continues_until.value_or(id.seq + 1))
        world_.at(habits_.speech_time, [this, id] { spoken(id); });
}

void simulated_reply::spoken(chunk_id id) {
    unspoken_.pop_front();
    if (!unspoken_.empty()) speak();
    waits_since_ = world_.now();
    if (lost_since_) patience_begins();
    listener_.on_continued(id);
    machine_.on_continued(world_.now(), id);
    request_next_chunk();
    perform_actions();
}

void simulated_reply::say_stale_things() {
    if (!chance(world_.random(), 0.2)) return;
    machine_.on_continued(world_.now(), {machine_.id(), unspoken_.front().seq - 1});
    machine_.on_continued(world_.now(), {machine_.id() + 1, next_seq_ - 1});
    machine_.on_continued(world_.now(), {machine_.id(), next_seq_});
}

void simulated_reply::perform(const detail::action::finish&) {
    ++ends_;
    check_nothing_lost();
    check_giving_up();
    if (site_.core) site_.core->slots().let_go(site_.owner);
    listener_.on_ended(machine_.id(), machine_.result(), machine_.take_remainder());
}

void simulated_reply::arm_timer() {
    const auto due = machine_.deadline();
    if (!due || (timer_ && *timer_ <= *due)) return;
    timer_ = due;
    world_.at(std::max(*due - world_.now(), duration{}), [this] {
        timer_.reset();
        machine_.on_deadline(world_.now());
        perform_actions();
    });
}

}  // namespace tandem::test
