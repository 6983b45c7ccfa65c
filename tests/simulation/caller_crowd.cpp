#include "simulation/caller_crowd.hpp"

#include "support/next_grant.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::test {
namespace {

using namespace std::chrono_literals;
using detail::reply_machine;

constexpr duration step = 5ms;
constexpr std::array<std::string_view, 12> words{"harbour", "and",   "the",   "island",
                                                 "walks",   "down",  "with",  "fresh",
                                                 "bread",   "early", "every", "morning"};

double to_seconds(duration d) {
    return std::chrono::duration<double>(d).count();
}

duration of_seconds(double s) {
    return std::chrono::duration_cast<duration>(std::chrono::duration<double>(s));
}

class crowd;

/// One caller: conversation, reply and voice.
class caller {
 public:
    caller(crowd& all, slots::owner_id id) : all_(all), id_(id) {}

    void ask();
    /// The server has generated the next token.
    void token_arrives();
    void prefill_done() { machine_->on_response_started(now()); }
    slots::owner_id id() const noexcept { return id_; }
    void perform_actions();
    void granted(const slots::grant& g);

 private:
    time_point now() const;
    void perform(const detail::action::request_server&);
    void perform(const detail::action::check_ids&) {}
    void perform(const detail::action::tokenize_prompt&) {
        machine_->on_prompt_tokenized(now(), {1, 2, 3});
    }
    void perform(const detail::action::recover_tokens&) {
        machine_->on_tokens_recovered(now(), {});
    }
    void perform(const detail::action::request_slot&);
    void perform(const detail::action::update_slot_request&);
    void perform(const detail::action::check_slot_demand& a);
    void perform(const detail::action::record_progress& a);
    void perform(const detail::action::cancel_slot_request&);
    void perform(const detail::action::send_request& a);
    void perform(const detail::action::parse_calls&) {}
    void perform(const detail::action::force_calls&) {}
    void perform(const detail::action::report_calls&) {}
    void perform(const detail::action::close_connection&) {}
    void perform(const detail::action::release_slot& a);
    void perform(const detail::action::release_slot_ownership&);
    void perform(const detail::action::request_warm_slot&);
    void perform(const detail::action::cancel_warm_slot_request&);
    void perform(const detail::action::send_warming_request&);
    void perform(const detail::action::close_warming_connection&) {}
    void perform(const detail::action::hand_over& a);
    void perform(const detail::action::log_late_start&) {}
    void perform(const detail::action::log_failover&) {}
    void perform(const detail::action::report_timeout&) {}
    void perform(const detail::action::log_slot_mismatch&) {}
    void perform(const detail::action::finish&);
    void make_reply();
    std::string prompt() const { return "P" + std::to_string(id_) + ' ' + history_; }
    void spoken(chunk_id id);
    void interrupt(std::uint64_t reply);
    void ask_later(duration after);
    void arm_timer();

    crowd& all_;
    const slots::owner_id id_;
    std::string history_ = std::string(400, 'h');
    std::vector<std::string> tokens_;
    std::size_t next_token_ = 0;
    int predicted_ = 0;  // by the running request
    std::unique_ptr<reply_machine> machine_;
    std::vector<std::unique_ptr<reply_machine>> ended_;
    detail::voice_pace pace_;
    std::uint64_t reply_ = 0;
    bool performing_ = false;
    bool interrupts_ = false;
    bool has_asked_ = false;
    slots::ticket ticket_ = slots::no_ticket;
    std::optional<int> slot_;
    std::optional<time_point> timer_;
    time_point asked_{};
    std::optional<time_point> silent_since_;
    time_point speaks_until_{};
};

/// The callers and their server.
class crowd {
 public:
    crowd(const crowd_rules& rules, std::uint64_t seed)
        : rules(rules),
          world(seed),
          scheduler(rules.slots, rules.guard),
          runs_(static_cast<std::size_t>(rules.slots)) {}

    crowd_report run() {
        for (int i = 0; i < rules.callers; ++i)
            callers_.push_back(
                std::make_unique<caller>(*this, static_cast<slots::owner_id>(i + 1)));
        for (auto& c : callers_) world.at(up_to(world.random(), 20'000), [&c] { c->ask(); });
        end = world.now() + rules.length;
        world.at(step, [this] { advance(); });
        world.run(static_cast<std::uint64_t>(-1));
        return std::move(report);
    }
    void give() {
        for (auto given = scheduler.take_grants(world.now()); !given.empty();
             given = scheduler.take_grants(world.now()))
            for (const auto& g : given)
                std::exchange(callers_by_ticket[g.ticket], nullptr)->granted(g);
        for (auto i = callers_by_ticket.begin(); i != callers_by_ticket.end();)
            i = i->second ? std::next(i) : callers_by_ticket.erase(i);
        if (const auto next = next_grant(scheduler))
            world.at(std::max(*next - world.now(), duration{}), [this] {
                if (const auto due = next_grant(scheduler); due && *due <= world.now()) give();
            });
    }
    /// A request begins on the slot.
    void begin(int slot, caller& c, duration prompt_time) {
        auto& r = runs_[static_cast<std::size_t>(slot)];
        const bool changes = r.resident != c.id();
        report.changes += changes && r.resident != 0 ? 1 : 0;
        r.work_left = to_seconds(prompt_time + (changes ? rules.change_time : duration{}));
        r.resident = c.id();
        r.progress = 0;
        r.who = &c;
    }
    void end_run(int slot) { runs_[static_cast<std::size_t>(slot)].who = nullptr; }

    const crowd_rules rules;
    simulated_world world;
    slots::slot_scheduler scheduler;
    std::map<slots::ticket, caller*> callers_by_ticket;
    crowd_report report;
    time_point end{};

 private:
    struct run_state {
        caller* who = nullptr;
        slots::owner_id resident = 0;
        double work_left = 0;
        double progress = 0;
    };

    void advance() {
        const bool is_held_up = work_on_prompts() && rules.prompts_hold_up_all;
        if (!is_held_up) generate();
        // The last turns end within this time.
        if (world.now() < end + 60s) world.at(step, [this] { advance(); });
    }

    // Advances the prompts and moves that requests wait for. If these hold up all slots, they run
    // one after the other, as on llama-server. Returns whether there were any.
    bool work_on_prompts() {
        bool has_worked = false;
        for (auto& r : runs_) {
            if (!r.who || r.work_left <= 0) continue;
            if (has_worked && rules.prompts_hold_up_all) break;
            has_worked = true;
            r.work_left -= to_seconds(step);
            if (r.work_left <= 0) r.who->prefill_done();
        }
        return has_worked;
    }

    void generate() {
        const auto running =
            std::ranges::count_if(runs_, [](const run_state& r) { return r.who != nullptr; });
        if (running == 0) return;
        const double speed =
            std::min(rules.speed, rules.total_speed / static_cast<double>(running));
        for (auto& r : runs_) {
            if (!r.who || r.work_left > 0) continue;
            r.progress += speed * to_seconds(step);
            if (r.progress < 1) continue;
            r.progress -= 1;
            ++report.generated;
            r.who->token_arrives();
        }
    }

    std::vector<std::unique_ptr<caller>> callers_;
    std::vector<run_state> runs_;
};

time_point caller::now() const {
    return all_.world.now();
}

void caller::make_reply() {
    auto& random = all_.world.random();
    tokens_.clear();
    const int sentences = pick(random, 3, 8);
    for (int s = 0; s < sentences; ++s) {
        const int length = pick(random, 7, 20);
        for (int w = 0; w < length; ++w) {
            std::string word(words[static_cast<std::size_t>(pick(random, 0, 11))]);
            if (w == 0) word[0] = static_cast<char>(word[0] - 'a' + 'A');
            tokens_.push_back(' ' + word);
        }
        tokens_.push_back(".");
    }
}

void caller::ask() {
    if (now() >= all_.end) return;
    make_reply();
    history_ += " user";
    ++all_.report.turns;
    asked_ = now();
    has_asked_ = true;
    silent_since_.reset();
    interrupts_ = chance(all_.world.random(), all_.rules.interrupts);
    const detail::reply_rules rules{
        .pacing = detail::make_pacing_rules(all_.rules.mode, pacing_config{}),
        .peek_hold = 250ms,
        .first_token_timeout = 60s,
        .between_tokens_timeout = 10s,
        .continue_timeout = 60s,
        .queue_timeout = 60s};
    if (machine_) ended_.push_back(std::move(machine_));
    machine_ = std::make_unique<reply_machine>(
        ++reply_ * 10'000 + id_, rules, text::make_boundary_detector(boundary_rule::spoken),
        text::chunk_limits{.first_min_tokens = 10, .first_max_tokens = 24, .max_tokens = 96});
    machine_->set_pace(pace_);
    machine_->start(now());
    machine_->on_chunk_requested(now());
    perform_actions();
}

void caller::perform_actions() {
    if (std::exchange(performing_, true)) return;
    for (auto actions = machine_->take_actions(); !actions.empty();
         actions = machine_->take_actions())
        for (auto& a : actions) std::visit([this](auto& value) { perform(value); }, a);
    performing_ = false;
    arm_timer();
}

void caller::arm_timer() {
    const auto due = machine_->deadline();
    if (!due || (timer_ && *timer_ <= *due && *timer_ > now())) return;
    timer_ = due;
    all_.world.at(std::max(*due - now(), duration{}), [this, due, which = machine_->id()] {
        if (machine_->id() != which) return;
        if (timer_ == due) timer_.reset();
        machine_->on_deadline(now());
        perform_actions();
    });
}

void caller::perform(const detail::action::request_server&) {
    machine_->on_server_found(now(), all_.rules.slots, {.prompt = {.text = prompt()}});
}

void caller::perform(const detail::action::request_slot&) {
    ticket_ = all_.scheduler.request({.prompt = std::string(machine_->text()),
                                      .kind = machine_->slot_request_kind(),
                                      .due = machine_->speech_runs_out_at(now()),
                                      .owner = id_,
                                      .was_here = reply_ > 1 || machine_->has_begun()});
    all_.callers_by_ticket[ticket_] = this;
    all_.give();
}

void caller::granted(const slots::grant& g) {
    ticket_ = slots::no_ticket;
    slot_ = g.slot;
    machine_->on_slot_granted(now(), g.slot, g.reused, g.guard_wait);
    perform_actions();
}

void caller::perform(const detail::action::update_slot_request&) {
    all_.scheduler.set_due(ticket_, machine_->speech_runs_out_at(now()));
}

void caller::perform(const detail::action::record_progress& a) {
    all_.scheduler.record_progress(a.slot, a.generated, now());
}

void caller::perform(const detail::action::check_slot_demand& a) {
    if (all_.scheduler.should_yield_slot(a.slot, machine_->speech_runs_out_at(now()), now()))
        machine_->on_slot_wanted(now());
}

void caller::perform(const detail::action::cancel_slot_request&) {
    all_.scheduler.withdraw(ticket_);
    all_.callers_by_ticket.erase(ticket_);
}

void caller::perform(const detail::action::send_request& a) {
    const auto known = machine_->transcript().generated().size();
    std::size_t bytes = 0;
    predicted_ = 0;
    for (next_token_ = 0; bytes < known; ++next_token_) bytes += tokens_[next_token_].size();
    all_.begin(a.slot, *this, known == 0 ? all_.rules.prompt_time : duration(2ms));
}

void caller::perform(const detail::action::release_slot& a) {
    all_.end_run(a.slot);
    auto note = a.note;
    note.holds = machine_->text().substr(0, a.holds_bytes);
    note.cached = 500;
    note.evaluated = 20;
    all_.scheduler.release(a.slot, now(), std::move(note));
    slot_.reset();
    all_.give();
}

void caller::perform(const detail::action::release_slot_ownership&) {
    all_.scheduler.release_owner(id_);
}

// Prefills are not simulated, because they would evaluate only a token or two.
void caller::perform(const detail::action::request_warm_slot&) {
    machine_->on_warming_failed(now(), {errc::connect_failed, {}});
}
void caller::perform(const detail::action::cancel_warm_slot_request&) {}
void caller::perform(const detail::action::send_warming_request&) {}

void caller::token_arrives() {
    wire::token_event e;
    if (next_token_ == tokens_.size()) {
        e.what = wire::token_event::kind::final;
        e.stop = wire::stop_type::eos;
    } else {
        e.content = tokens_[next_token_];
        e.tokens = {static_cast<wire::token_id>(1000 + next_token_)};
        ++next_token_;
        e.predicted = ++predicted_;
    }
    machine_->on_event_read(now(), e);
    perform_actions();
}

void caller::perform(const detail::action::hand_over& a) {
    auto& report = all_.report;
    if (std::exchange(has_asked_, false))
        report.first_chunk_ms.push_back(to_ms(now() - asked_));
    else
        report.gap_ms.push_back(silent_since_ ? to_ms(now() - *silent_since_) : 0);
    silent_since_.reset();
    report.heard += a.value.tokens;
    const auto count = std::ranges::count(a.value.text, ' ');
    const auto speech = of_seconds(static_cast<double>(count) * 60 / 170 / all_.rules.voice_speed);
    speaks_until_ = now() + speech;
    const auto id = a.value.id;
    if (interrupts_ && id.seq == 1)
        all_.world.at(speech / 2, [this, id] { interrupt(id.reply); });
    else
        all_.world.at(speech, [this, id] { spoken(id); });
    all_.world.at({}, [this, id] {
        if (machine_->id() != id.reply || machine_->ended()) return;
        machine_->on_chunk_requested(now());
        perform_actions();
    });
}

void caller::spoken(chunk_id id) {
    if (machine_->id() != id.reply || machine_->ended()) return;
    silent_since_ = now();
    machine_->on_continued(now(), id);
    perform_actions();
}

void caller::interrupt(std::uint64_t reply) {
    if (machine_->id() != reply || machine_->ended()) return;
    machine_->on_interrupted(now());
    perform_actions();
}

void caller::perform(const detail::action::finish&) {
    const auto& r = machine_->result();
    all_.report.failed += r.error ? 1 : 0;
    history_ += r.text;
    if (history_.size() > 4000) history_.erase(0, 2000);
    pace_ = machine_->pace();
    const auto rest =
        r.finish_reason == finish_reason::interrupted ? duration{} : speaks_until_ - now();
    ask_later(std::max(rest, duration{}) + all_.rules.pause_between_turns);
}

void caller::ask_later(duration after) {
    all_.world.at(after + 1ms, [this] { ask(); });
}

}  // namespace

double crowd_report::percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

crowd_report run_crowd(const crowd_rules& rules, std::uint64_t seed) {
    return crowd(rules, seed).run();
}

}  // namespace tandem::test
