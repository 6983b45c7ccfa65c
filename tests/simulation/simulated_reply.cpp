#include "simulation/simulated_reply.hpp"

#include "text/boundary_rules.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <utility>

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
    return {.pacing = detail::pacing_rules_of(mode, pick(random, 1, 3), pick(random, 1, 6)),
            .peek_hold = milliseconds(pick(random, 0, 3) * 100),
            .first_token_timeout = milliseconds(pick(random, 500, 60'000)),
            .between_tokens_timeout = milliseconds(pick(random, 400, 10'000)),
            .continue_timeout = 30s,
            .queue_timeout = random_queue_timeout(random),
            .reply_timeout = chance(random, 0.9) ? 0s : milliseconds(pick(random, 1, 60'000)),
            .going_on = {chance(random, 0.5) ? 0 : pick(random, 1, 4),
                         milliseconds(pick(random, 1, 8000))},
            .chunk_deadline = milliseconds(chance(random, 0.7) ? 0 : pick(random, 1, 2000)),
            .max_tokens = chance(random, 0.2) ? pick(random, 1, 60) : 0,
            .erase_after_cut = chance(random, 0.1),
            .has_stop_words = !model.stop_word().empty()};
}

text::chunk_limits random_limits(rng& random) {
    if (chance(random, 0.5)) return {};
    return {pick(random, 0, 12), pick(random, 0, 24), pick(random, 0, 30)};
}
}  // namespace

reply_plan random_plan(rng& random, std::string prompt) {
    simulated_model model(random, std::move(prompt));
    const auto mode = static_cast<pacing>(pick(random, 0, 3));
    auto rules = random_rules(random, model, mode);
    const auto limits = random_limits(random);
    return {std::move(model), mode, std::move(rules), limits, random_rule(random)};
}

simulated_reply::simulated_reply(simulated_world& world, std::uint64_t id, reply_plan plan,
                                 detail::reply_listener& listener)
    : world_(world),
      plan_(std::move(plan)),
      habits_(random_habits(world.random())),
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
            .fault = chance(random, 0.2) ? 0.3 : 0,
            .tokenize_fault = chance(random, 0.2) ? 0.5 : 0,
            .interrupts = chance(random, 0.3),
            .takes_back = chance(random, 0.2),
            .asks_until = random_end(random),
            .continues_until = random_end(random)};
}

void simulated_reply::start(reply_site where) {
    site_ = where;
    begin({.prompt = {.text = plan_.model.prompt()}});
}

void simulated_reply::resume(reply_site where, detail::reply_rest rest, std::string spoken) {
    site_ = where;
    is_resumed_ = true;
    spoken_ = spoken;
    generated_ = rest.text.generated().size();
    begin({.rest = std::move(rest), .spoken = std::move(spoken)});
}

void simulated_reply::begin(detail::reply_origin from) {
    origin_ = std::move(from);
    machine_.start(world_.now());
    if (chance(world_.random(), 0.9))
        ask_for_chunk();
    else
        world_.at(milliseconds(pick(world_.random(), 0, 3000)), [this] { ask_for_chunk(); });
    if (habits_.interrupts)
        world_.at(milliseconds(pick(world_.random(), 0, 20'000)), [this] { interrupt(); });
    perform_actions();
}

void simulated_reply::interrupt() {
    habits_.interrupts = true;
    machine_.interrupted(world_.now());
    perform_actions();
}

void simulated_reply::abandon(errc why) {
    was_abandoned_ = true;
    machine_.abandoned(world_.now(), why, {});
    perform_actions();
}

void simulated_reply::server_died() {
    if (warm_.open) machine_.warming_failed(world_.now(), {errc::stream_incomplete, {}});
    if (live_.open) {
        faulted_ = true;
        machine_.request_failed(world_.now(), {errc::stream_incomplete, {}});
    }
    perform_actions();
}

void simulated_reply::perform_actions() {
    for (auto actions = machine_.take_actions(); !actions.empty();
         actions = machine_.take_actions())
        for (const auto& a : actions) std::visit([this](const auto& value) { perform(value); }, a);
    arm_timer();
}

void simulated_reply::perform(const detail::action::seek_server&) {
    world_.check(!live_.open && !live_.slot_held, "a server is left with nothing on it");
    if (origin_) return answer_seek(true);
    world_.at(milliseconds(pick(world_.random(), 0, 200)), [this] {
        answer_seek(site_.slots->is_up() && chance(world_.random(), 0.7));
        perform_actions();
    });
}

void simulated_reply::answer_seek(bool is_there) {
    if (!is_there) return machine_.no_server(world_.now(), {errc::connect_failed, {}});
    const int all = site_.slots->count();
    auto from = std::exchange(origin_, std::nullopt).value_or(detail::reply_origin());
    machine_.server_found(world_.now(), site_.lease > 0 ? std::min(site_.lease, all) : all,
                          std::move(from));
}

// Half of the servers that go on number their tokens otherwise, or cannot tell.
void simulated_reply::perform(const detail::action::check_ids&) {
    world_.at(milliseconds(pick(world_.random(), 0, 300)), [this] {
        std::string text(machine_.text());
        text.resize(text.size() - machine_.next_prompt().text.size());
        if (chance(world_.random(), 0.5)) text = chance(world_.random(), 0.5) ? "" : "other words";
        machine_.ids_checked(world_.now(), text);
        perform_actions();
    });
}

void simulated_reply::perform(const detail::action::tokenize_prompt&) {
    world_.at(milliseconds(pick(world_.random(), 0, 300)), [this] {
        const bool fails = chance(world_.random(), habits_.tokenize_fault);
        machine_.prompt_tokenized(world_.now(),
                                  fails ? std::vector<wire::token_id>() : plan_.model.prompt_ids());
        perform_actions();
    });
}

void simulated_reply::perform(const detail::action::recover_tokens& a) {
    world_.at(milliseconds(pick(world_.random(), 0, 300)), [this, texts = a.texts] {
        std::vector<wire::token_id> ids;
        for (const auto& text : texts) {
            const auto piece = plan_.model.ids_of(text);
            ids.insert(ids.end(), piece.begin(), piece.end());
            ids.push_back(detail::continuation::separator);
        }
        if (chance(world_.random(), habits_.tokenize_fault)) ids.clear();
        machine_.tokens_recovered(world_.now(), ids);
        perform_actions();
    });
}

void simulated_reply::perform(const detail::action::want_slot&) {
    ticket_ =
        site_.slots->want({.prompt = std::string(machine_.text()),
                           .warmed = machine_.warm_slot(),
                           .priority = machine_.slot_priority(),
                           .owner = site_.owner,
                           .lease = site_.lease},
                          [this](const slots::grant& g) {
                              machine_.slot_granted(world_.now(), g.slot, g.reused, g.guard_wait);
                              perform_actions();
                          });
    if (ticket_ != slots::no_ticket) return site_.slots->give();
    was_refused_ = true;
    machine_.slot_refused(world_.now());
}

void simulated_reply::perform(const detail::action::forget_slot&) {
    site_.slots->forget(ticket_);
}

void simulated_reply::perform(const detail::action::leave_slots&) {
    site_.slots->let_go(site_.owner);
}

void simulated_reply::perform(const detail::action::want_warm_slot&) {
    world_.check(plan_.mode == pacing::warm && site_.slots->count() > 1,
                 "only warm replies prefill, and only another slot");
    warm_ticket_ = site_.slots->want({.prompt = std::string(machine_.text()),
                                      .priority = slots::priority::warming,
                                      .owner = site_.owner,
                                      .lease = site_.lease},
                                     [this](const slots::grant& g) {
                                         machine_.warm_slot_granted(world_.now(), g.slot);
                                         perform_actions();
                                     });
    site_.slots->give();
}

void simulated_reply::perform(const detail::action::forget_warm_slot&) {
    site_.slots->forget(warm_ticket_);
}

std::optional<model_position> simulated_reply::position_of(
    const detail::prompt_view& prompt) const {
    return prompt.as_ids() ? plan_.model.position_of({prompt.ids.begin(), prompt.ids.end()})
                           : plan_.model.position_of(prompt.text);
}

void simulated_reply::open(request& r, int slot) {
    world_.check(!r.open && !r.slot_held, "one request at a time");
    site_.slots->use(slot);
    r.open = r.slot_held = true;
    ++r.id;
}

void simulated_reply::close(request& r) {
    world_.check(r.open, "only an open connection is closed");
    r.open = false;
}

void simulated_reply::perform(const detail::action::send_request& a) {
    const bool generates_early = plan_.mode == pacing::ahead || plan_.mode == pacing::stream;
    world_.check(!speaking_ || generates_early, "nothing is requested before continue");
    open(live_, a.slot);
    const auto position = position_of(machine_.next_prompt());
    world_.check(position.has_value(), "the prompt is the one of the reply so far");
    if (!position) return;
    const auto read = machine_.said().generated().size();
    world_.check(plan_.model.bytes_before(*position) == read && read >= generated_,
                 "nothing that was read is generated again");
    generated_ = read;
    live_.events = events_from(plan_.model, *position, a.n_predict);
    live_.next_event = 0;
    const auto id = live_.id;
    if (!site_.slots->is_up()) {
        faulted_ = true;
        return world_.at(10ms, [this, id] {
            if (id == live_.id && live_.open) fail_with(errc::connect_failed);
        });
    }
    world_.at(milliseconds(pick(world_.random(), 0, 800)), [this, id] { answer(id); });
    if (!chance(world_.random(), habits_.fault)) return;
    faulted_ = true;
    world_.at(milliseconds(pick(world_.random(), 0, 2000)), [this, id] { fail_request(id); });
}

void simulated_reply::answer(std::uint64_t id) {
    if (id != live_.id || !live_.open) return;
    machine_.answer_begun(world_.now());
    if (!live_.events.empty()) return send_next_event(id);
    machine_.request_failed(world_.now(), {errc::prompt_too_long, {}});
    perform_actions();
}

void simulated_reply::send_next_event(std::uint64_t id) {
    if (id != live_.id || !live_.open) return;
    const auto event = live_.events.at(live_.next_event++);
    machine_.event_read(world_.now(), event);
    perform_actions();
    if (live_.next_event < live_.events.size())
        world_.at(habits_.token_time, [this, id] { send_next_event(id); });
}

// Half of the faults are a stall: nothing comes any more, and a clock must end it.
void simulated_reply::fail_request(std::uint64_t id) {
    if (id != live_.id || !live_.open) return;
    if (chance(world_.random(), 0.5)) {
        ++live_.id;
        return;
    }
    fail_with(errc::stream_incomplete);
}

void simulated_reply::fail_with(errc why) {
    machine_.request_failed(world_.now(), {why, {}});
    perform_actions();
}

void simulated_reply::perform(const detail::action::send_warming& a) {
    open(warm_, a.slot);
    world_.check(!live_.open, "a slot is prefilled while the reply rests");
    const auto whole = machine_.next_prompt();
    const auto prompt = machine_.warming_prompt();
    world_.check(position_of(prompt).has_value(), "a slot is prefilled with the reply so far");
    world_.check(prompt.ids.size() + (whole.as_ids() ? 1 : 0) == whole.ids.size(),
                 "one token is left to the next request");
    // Without an answer a clock must end it.
    if (!site_.slots->is_up() || chance(world_.random(), habits_.fault)) return;
    const auto id = warm_.id;
    const auto begins = milliseconds(pick(world_.random(), 0, 600));
    world_.at(begins, [this, id] {
        if (id == warm_.id && warm_.open) machine_.warming_begun();
        world_.at(milliseconds(pick(world_.random(), 0, 3000)), [this, id] { end_warming(id); });
    });
}

void simulated_reply::end_warming(std::uint64_t id) {
    if (id != warm_.id || !warm_.open) return;
    if (chance(world_.random(), habits_.fault)) {
        faulted_ = true;
        machine_.warming_failed(world_.now(), {errc::connect_failed, {}});
    } else {
        wire::token_event last;
        last.what = wire::token_event::kind::final;
        machine_.warming_read(world_.now(), last);
    }
    perform_actions();
}

void simulated_reply::perform(const detail::action::close_connection&) {
    close(live_);
}

void simulated_reply::perform(const detail::action::close_warming&) {
    close(warm_);
}

void simulated_reply::perform(const detail::action::release_slot& a) {
    // The connection before it tells which request it belongs to.
    auto& ended = live_.slot_held && !live_.open ? live_ : warm_;
    world_.check(ended.slot_held && !ended.open, "a slot is released once, after its request");
    world_.check(!a.erase || plan_.rules.erase_after_cut,
                 "a slot is erased only if that is wanted");
    world_.check(a.is_use || &ended == &warm_, "only prefilling is no use of a slot");
    ended.slot_held = false;
    site_.slots->release(a.slot, {.side = a.side,
                                  .is_use = a.is_use,
                                  .holds = std::string(machine_.text().substr(0, a.holds_bytes))});
}

void simulated_reply::perform(const detail::action::tell_held_back& a) {
    world_.check(live_.open && a.held >= 500ms, "only a late answer is told");
}

void simulated_reply::perform(const detail::action::tell_lost&) {
    world_.check(plan_.rules.going_on.retries > 0, "only what goes on is told to go on");
    world_.note("a reply goes on");
}

void simulated_reply::perform(const detail::action::tell_other_slot&) {
    world_.check(false, "the server has the slots that it is asked for");
}

void simulated_reply::ask_for_chunk() {
    if (ended() || asked_ || next_seq_ >= habits_.asks_until.value_or(next_seq_ + 1)) return;
    asked_ = true;
    machine_.chunk_wanted(world_.now());
    perform_actions();
    if (asked_ && habits_.takes_back && chance(world_.random(), 0.5))
        world_.at(milliseconds(pick(world_.random(), 0, 500)), [this] { take_back(); });
}

void simulated_reply::take_back() {
    if (!std::exchange(asked_, false)) return;
    machine_.chunk_not_wanted();
    world_.at(milliseconds(pick(world_.random(), 0, 3000)), [this] { ask_for_chunk(); });
}

void simulated_reply::perform(const detail::action::hand_over& a) {
    world_.check(std::exchange(asked_, false), "a chunk goes to a consumer who asks");
    world_.check(!std::exchange(speaking_, true), "a chunk waits for the continue before it");
    world_.check(a.value.id.seq == next_seq_++, "chunks come in their order");
    world_.check(!a.value.text.empty(), "no chunk is empty");
    world_.check(text::find_invalid(a.value.text) == std::string_view::npos,
                 "each chunk is valid UTF-8");
    handed_over_ += a.value.text;
    spoken_ += a.value.text;
    last_chunk_ = a.value.text;
    world_.check(std::string_view(plan_.model.text()).starts_with(spoken_),
                 "no byte is lost, doubled or wrong");
    listener_.handed_over(a.value);
    say_stale_things();
    if (next_seq_ <= habits_.continues_until.value_or(next_seq_))
        world_.at(habits_.speech_time, [this, id = a.value.id] { spoken(id); });
}

void simulated_reply::spoken(chunk_id id) {
    speaking_ = false;
    listener_.continued(id);
    machine_.continued(world_.now(), id);
    ask_for_chunk();
    perform_actions();
}

void simulated_reply::say_stale_things() {
    if (!chance(world_.random(), 0.2)) return;
    machine_.continued(world_.now(), {machine_.id(), next_seq_ - 2});
    machine_.continued(world_.now(), {machine_.id() + 1, next_seq_ - 1});
    machine_.continued(world_.now(), {machine_.id(), next_seq_});
}

void simulated_reply::perform(const detail::action::finish&) {
    ++ends_;
    check_nothing_lost();
    if (site_.slots) site_.slots->let_go(site_.owner);
    listener_.ended(machine_.id(), machine_.result(), machine_.take_rest());
}

void simulated_reply::check_nothing_lost() const {
    // Nothing is known of the text behind a whole turn that is resumed.
    if (machine_.text().empty()) return;
    const auto whole = spoken_ + machine_.result().unspoken_text;
    world_.check(whole == machine_.said().generated(),
                 "what was generated was handed over, or is told as unspoken, once");
}

void simulated_reply::arm_timer() {
    const auto due = machine_.deadline();
    if (!due || (timer_ && *timer_ <= *due)) return;
    timer_ = due;
    world_.at(std::max(*due - world_.now(), duration{}), [this] {
        timer_.reset();
        machine_.deadline_reached(world_.now());
        perform_actions();
    });
}

bool simulated_reply::may_fail() const {
    if (was_refused_ || was_abandoned_) return true;
    const bool slow =
        plan_.rules.first_token_timeout < 1s || plan_.rules.between_tokens_timeout < 1s;
    const bool left = habits_.asks_until || habits_.continues_until;
    const bool may_wait = plan_.rules.queue_timeout > 1h;
    const bool is_timed = plan_.rules.reply_timeout > 0s;
    return faulted_ || slow || is_timed || left || !may_wait ||
           events_from(plan_.model, {}, -1).empty();
}

// A reply that was not ended from outside is what one request without cuts gives.
void simulated_reply::check_own_end() const {
    const auto reason = machine_.result().finish_reason;
    if (reason == finish_reason::error || reason == finish_reason::interrupted) return;
    const auto uncut =
        events_from(plan_.model, {}, plan_.rules.max_tokens > 0 ? plan_.rules.max_tokens : -1);
    std::string text;
    for (const auto& e : uncut) text += e.content;
    world_.check(spoken_ == text, "a whole reply has its whole text");
    // The tokens of a stop word that came with the last text count, and may reach the bound.
    if (plan_.rules.max_tokens > 0 && reason == finish_reason::length) return;
    const auto stop = uncut.empty() ? wire::stop_type::none : uncut.back().stop;
    world_.check((stop == wire::stop_type::word) == (reason == finish_reason::stop_word),
                 "a stop word is told");
    world_.check((stop == wire::stop_type::limit) == (reason == finish_reason::length),
                 "a limit is told");
}

void simulated_reply::check_end() const {
    auto& w = world_;
    w.check(ends_ == 1, "a reply ends exactly once");
    w.check(!live_.open && !live_.slot_held && !warm_.open && !warm_.slot_held,
            "no request is left");
    const auto& r = machine_.result();
    w.check(r.text == handed_over_, "the result has the text that was handed over");
    check_own_end();
    w.check(habits_.interrupts || r.finish_reason != finish_reason::interrupted,
            "only an interrupt interrupts");
    w.check(may_fail() || r.finish_reason != finish_reason::error, "only a fault is an error");
    const auto& u = r.usage;
    // What is resumed was counted as generated by the reply before.
    w.check(u.heard <= u.handed_over && (is_resumed_ || u.handed_over <= u.generated),
            "generated >= handed over >= heard");
    w.check(u.wasted == std::max(0, u.generated - u.handed_over), "what is wasted is told");
}

}  // namespace tandem::test
