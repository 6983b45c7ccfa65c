#include "simulation/simulated_reply.hpp"

#include "text/boundary_rules.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace tandem::test {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {
boundary_rule random_rule(rng& random) {
    return chance(random, 0.5) ? boundary_rule::classic : boundary_rule::spoken;
}
}  // namespace

simulated_reply::simulated_reply(simulation& world, std::uint64_t id)
    : world_(world),
      habits_(random_habits(world.random_)),
      model_(world.random_),
      mode_(static_cast<pacing>(pick(world.random_, 0, 3))),
      rules_(random_rules(world.random_, model_, mode_)),
      machine_(id, rules_, text::make_boundary_detector(random_rule(world.random_)),
               random_limits(world.random_)) {}

detail::reply_rules simulated_reply::random_rules(rng& random, const simulated_model& model,
                                                  pacing mode) {
    return {.pacing = detail::pacing_rules_of(mode, pick(random, 1, 3), pick(random, 1, 6)),
            .peek_hold = milliseconds(pick(random, 0, 3) * 100),
            .first_token_timeout = milliseconds(pick(random, 500, 60'000)),
            .between_tokens_timeout = milliseconds(pick(random, 400, 10'000)),
            .continue_timeout = 30s,
            .queue_timeout = chance(random, 0.1) ? 10s : duration(24h),
            .chunk_deadline = milliseconds(chance(random, 0.7) ? 0 : pick(random, 1, 2000)),
            .max_tokens = chance(random, 0.2) ? pick(random, 1, 60) : 0,
            .erase_after_cut = chance(random, 0.1),
            .has_stop_words = !model.stop_word().empty()};
}

text::chunk_limits simulated_reply::random_limits(rng& random) {
    if (chance(random, 0.5)) return {};
    return {pick(random, 0, 12), pick(random, 0, 24), pick(random, 0, 30)};
}

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

void simulated_reply::start() {
    machine_.start(world_.now_, {.prompt = {.text = model_.prompt()}}, world_.scheduler_.slots());
    if (chance(world_.random_, 0.9))
        ask_for_chunk();
    else
        world_.at(milliseconds(pick(world_.random_, 0, 3000)), [this] { ask_for_chunk(); });
    if (habits_.interrupts)
        world_.at(milliseconds(pick(world_.random_, 0, 20'000)), [this] {
            machine_.interrupted(world_.now_);
            perform_actions();
        });
    perform_actions();
}

void simulated_reply::perform_actions() {
    for (auto actions = machine_.take_actions(); !actions.empty();
         actions = machine_.take_actions())
        for (const auto& a : actions) std::visit([this](const auto& value) { perform(value); }, a);
    arm_timer();
}

void simulated_reply::perform(const detail::action::tokenize_prompt&) {
    world_.at(milliseconds(pick(world_.random_, 0, 300)), [this] {
        const bool fails = chance(world_.random_, habits_.tokenize_fault);
        machine_.prompt_tokenized(world_.now_,
                                  fails ? std::vector<wire::token_id>() : model_.prompt_ids());
        perform_actions();
    });
}

void simulated_reply::perform(const detail::action::recover_tokens& a) {
    world_.at(milliseconds(pick(world_.random_, 0, 300)), [this, texts = a.texts] {
        std::vector<wire::token_id> ids;
        for (const auto& text : texts) {
            const auto piece = model_.ids_of(text);
            ids.insert(ids.end(), piece.begin(), piece.end());
            ids.push_back(detail::continuation::separator);
        }
        if (chance(world_.random_, habits_.tokenize_fault)) ids.clear();
        machine_.tokens_recovered(world_.now_, ids);
        perform_actions();
    });
}

void simulated_reply::perform(const detail::action::want_slot&) {
    ticket_ = world_.want_slot(
        {.prompt = std::string(machine_.text()),
         .warmed = machine_.warm_slot(),
         .priority = machine_.has_begun() ? slots::priority::continuation : slots::priority::turn,
         .owner = machine_.id()},
        [this](const slots::grant& g) {
            machine_.slot_granted(world_.now_, g.slot, g.reused, g.guard_wait);
            perform_actions();
        });
    world_.give_slots();
}

void simulated_reply::perform(const detail::action::forget_slot&) {
    world_.forget_slot(ticket_);
}

void simulated_reply::perform(const detail::action::leave_slots&) {
    world_.scheduler_.let_go(machine_.id());
    world_.give_slots();
}

void simulated_reply::perform(const detail::action::want_warm_slot&) {
    world_.check(mode_ == pacing::warm && world_.scheduler_.slots() > 1,
                 "only warm replies prefill, and only another slot");
    warm_ticket_ = world_.want_slot({.prompt = std::string(machine_.text()),
                                     .priority = slots::priority::warming,
                                     .owner = machine_.id()},
                                    [this](const slots::grant& g) {
                                        machine_.warm_slot_granted(world_.now_, g.slot);
                                        perform_actions();
                                    });
    world_.give_slots();
}

void simulated_reply::perform(const detail::action::forget_warm_slot&) {
    world_.forget_slot(warm_ticket_);
}

std::optional<model_position> simulated_reply::position_of(
    const detail::prompt_view& prompt) const {
    return prompt.as_ids() ? model_.position_of({prompt.ids.begin(), prompt.ids.end()})
                           : model_.position_of(prompt.text);
}

void simulated_reply::open(request& r, int slot) {
    world_.check(!r.open && !r.slot_held, "one request at a time");
    world_.slot_taken(slot);
    r.open = r.slot_held = true;
    ++r.id;
}

void simulated_reply::close(request& r) {
    world_.check(r.open, "only an open connection is closed");
    r.open = false;
}

void simulated_reply::perform(const detail::action::send_request& a) {
    const bool generates_early = mode_ == pacing::ahead || mode_ == pacing::stream;
    world_.check(!speaking_ || generates_early, "nothing is requested before continue");
    open(live_, a.slot);
    const auto position = position_of(machine_.next_prompt());
    world_.check(position.has_value(), "the prompt is the one of the reply so far");
    if (!position) return;
    live_.events = events_from(model_, *position, a.n_predict);
    live_.next_event = 0;
    const auto id = live_.id;
    world_.at(milliseconds(pick(world_.random_, 0, 800)), [this, id] { answer(id); });
    if (!chance(world_.random_, habits_.fault)) return;
    faulted_ = true;
    world_.at(milliseconds(pick(world_.random_, 0, 2000)), [this, id] { fail_request(id); });
}

void simulated_reply::answer(std::uint64_t id) {
    if (id != live_.id || !live_.open) return;
    machine_.answer_begun(world_.now_);
    if (!live_.events.empty()) return send_next_event(id);
    machine_.request_failed(world_.now_, errc::prompt_too_long, {});
    perform_actions();
}

void simulated_reply::send_next_event(std::uint64_t id) {
    if (id != live_.id || !live_.open) return;
    const auto event = live_.events.at(live_.next_event++);
    machine_.event_read(world_.now_, event);
    perform_actions();
    if (live_.next_event < live_.events.size())
        world_.at(habits_.token_time, [this, id] { send_next_event(id); });
}

// Half of the faults are a stall: nothing comes any more, and a clock must end it.
void simulated_reply::fail_request(std::uint64_t id) {
    if (id != live_.id || !live_.open) return;
    if (chance(world_.random_, 0.5)) {
        ++live_.id;
        return;
    }
    machine_.request_failed(world_.now_, errc::stream_incomplete, {});
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
    if (chance(world_.random_, habits_.fault)) return;
    const auto id = warm_.id;
    const auto begins = milliseconds(pick(world_.random_, 0, 600));
    world_.at(begins, [this, id] {
        if (id == warm_.id && warm_.open) machine_.warming_begun();
        world_.at(milliseconds(pick(world_.random_, 0, 3000)), [this, id] { end_warming(id); });
    });
}

void simulated_reply::end_warming(std::uint64_t id) {
    if (id != warm_.id || !warm_.open) return;
    if (chance(world_.random_, habits_.fault)) {
        machine_.warming_failed(world_.now_);
    } else {
        wire::token_event last;
        last.what = wire::token_event::kind::final;
        machine_.warming_read(world_.now_, last);
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
    world_.check(!a.erase || rules_.erase_after_cut, "a slot is erased only if that is wanted");
    world_.check(a.is_use || &ended == &warm_, "only prefilling is no use of a slot");
    ended.slot_held = false;
    world_.slot_released(a.slot, {.side = a.side,
                                  .is_use = a.is_use,
                                  .holds = std::string(machine_.text().substr(0, a.holds_bytes))});
}

void simulated_reply::perform(const detail::action::tell_held_back& a) {
    world_.check(live_.open && a.held >= 500ms, "only a late answer is told");
}

void simulated_reply::perform(const detail::action::tell_other_slot&) {
    world_.check(false, "the server has the slots that it is asked for");
}

void simulated_reply::ask_for_chunk() {
    if (ended() || asked_ || next_seq_ >= habits_.asks_until.value_or(next_seq_ + 1)) return;
    asked_ = true;
    machine_.chunk_wanted(world_.now_);
    perform_actions();
    if (asked_ && habits_.takes_back && chance(world_.random_, 0.5))
        world_.at(milliseconds(pick(world_.random_, 0, 500)), [this] { take_back(); });
}

void simulated_reply::take_back() {
    if (!std::exchange(asked_, false)) return;
    machine_.chunk_not_wanted();
    world_.at(milliseconds(pick(world_.random_, 0, 3000)), [this] { ask_for_chunk(); });
}

void simulated_reply::perform(const detail::action::hand_over& a) {
    world_.check(std::exchange(asked_, false), "a chunk goes to a consumer who asks");
    world_.check(!std::exchange(speaking_, true), "a chunk waits for the continue before it");
    world_.check(a.value.id.seq == next_seq_++, "chunks come in their order");
    world_.check(!a.value.text.empty(), "no chunk is empty");
    world_.check(text::find_invalid(a.value.text) == std::string_view::npos,
                 "each chunk is valid UTF-8");
    heard_ += a.value.text;
    world_.check(std::string_view(model_.text()).starts_with(heard_),
                 "no byte is lost, doubled or wrong");
    say_stale_things();
    if (next_seq_ <= habits_.continues_until.value_or(next_seq_))
        world_.at(habits_.speech_time, [this, id = a.value.id] { spoken(id); });
}

void simulated_reply::spoken(chunk_id id) {
    speaking_ = false;
    machine_.continued(world_.now_, id);
    ask_for_chunk();
    perform_actions();
}

void simulated_reply::say_stale_things() {
    if (!chance(world_.random_, 0.2)) return;
    machine_.continued(world_.now_, {machine_.id(), next_seq_ - 2});
    machine_.continued(world_.now_, {machine_.id() + 1, next_seq_ - 1});
    machine_.continued(world_.now_, {machine_.id(), next_seq_});
}

void simulated_reply::perform(const detail::action::finish&) {
    ++ends_;
    world_.scheduler_.let_go(machine_.id());
    world_.give_slots();
}

void simulated_reply::arm_timer() {
    const auto due = machine_.deadline();
    if (!due || (timer_ && *timer_ <= *due)) return;
    timer_ = due;
    world_.at(std::max(*due - world_.now_, duration{}), [this] {
        timer_.reset();
        machine_.deadline_reached(world_.now_);
        perform_actions();
    });
}

bool simulated_reply::may_fail() const {
    const bool slow = rules_.first_token_timeout < 1s || rules_.between_tokens_timeout < 1s;
    const bool left = habits_.asks_until || habits_.continues_until;
    const bool may_wait = rules_.queue_timeout > 1h;
    return faulted_ || slow || left || !may_wait || events_from(model_, {}, -1).empty();
}

// A reply that was not ended from outside is what one request without cuts gives.
void simulated_reply::check_own_end() const {
    const auto reason = machine_.result().finish_reason;
    if (reason == finish_reason::error || reason == finish_reason::interrupted) return;
    const auto uncut = events_from(model_, {}, rules_.max_tokens > 0 ? rules_.max_tokens : -1);
    std::string text;
    for (const auto& e : uncut) text += e.content;
    world_.check(heard_ == text, "a whole reply has its whole text");
    // The tokens of a stop word that came with the last text count, and may reach the bound.
    if (rules_.max_tokens > 0 && reason == finish_reason::length) return;
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
    w.check(r.text == heard_, "the result has the text that was handed over");
    check_own_end();
    w.check(habits_.interrupts || r.finish_reason != finish_reason::interrupted,
            "only an interrupt interrupts");
    w.check(may_fail() || r.finish_reason != finish_reason::error, "only a fault is an error");
    w.check(r.usage.heard <= r.usage.handed_over && r.usage.handed_over <= r.usage.generated,
            "generated >= handed over >= heard");
    w.check(r.usage.wasted == r.usage.generated - r.usage.handed_over, "what is wasted is told");
}

}  // namespace tandem::test
