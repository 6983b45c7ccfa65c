#include "simulation/simulated_server.hpp"

#include "server/retry_policy.hpp"

#include <utility>

namespace tandem::test {

using namespace std::chrono_literals;

namespace {
constexpr int max_vocabularies = 3;
constexpr int max_slots = 5;
constexpr duration request_timeout = 10s;
}  // namespace

simulated_server::simulated_server(simulated_world& world, slot_rules rules)
    : world_(world),
      slots_(world, rules),
      total_slots_(rules.slots),
      known_(rules.slots, rules.guard),
      circuit_(chance(world.random(), 0.5) ? pick(world.random(), 1, 5) : 0, 2s) {}

void simulated_server::starts_again() {
    auto& random = world_.random();
    is_up_ = true;
    hangs_ = false;
    ++starts_;
    if (chance(random, 0.4)) vocabulary_ = pick(random, 0, max_vocabularies - 1);
    if (chance(random, 0.4)) total_slots_ = pick(random, 1, max_slots);
}

void simulated_server::prepare(prepared done) {
    if (is_shut_down_) return done(errc::client_destroyed);
    if (is_known()) return done({});
    preparing_.push_back(std::move(done));
    if (preparing_.size() > 1) return;
    world_.at(up_to(world_.random(), 400), [this] { on_props_received(); });
}

void simulated_server::on_props_received() {
    if (hangs() && !is_shut_down_)
        return world_.at(request_timeout, [this] { answer_preparing(errc::request_timeout); });
    error_code why;
    if (is_shut_down_)
        why = errc::server_gone;
    else if (!is_up_)
        why = chance(world_.random(), 0.7) ? errc::connect_failed : errc::model_loading;
    if (!why) {
        server_props props;
        props.total_slots = total_slots_;
        props.model = "model " + std::to_string(vocabulary_);
        known_.store_props(props);
        told_starts_ = starts_;
        slots_.set_slot_count(total_slots_);
    }
    answer_preparing(why);
}

void simulated_server::shut_down() {
    is_shut_down_ = true;
    answer_preparing(errc::server_gone);
}

void simulated_server::answer_preparing(const error_code& why) {
    for (const auto& done : std::exchange(preparing_, {})) done(why);
}

bool simulated_server::refuses() {
    if (!circuit_.allows(world_.now())) return true;
    circuit_.record_request(world_.now());
    return false;
}

void simulated_server::on_request_failed(const error_code& ec) {
    known_.on_request_failed(ec);
    const auto kind = detail::classify_failure(ec, true);
    const auto now = world_.now();
    if (kind == detail::failure_kind::away) circuit_.on_unreachable(now);
    if (kind == detail::failure_kind::broken && circuit_.record_failure(now, now))
        world_.note("a circuit opens");
}

void simulated_server::request_answered() {
    if (circuit_.record_success()) world_.note("a circuit closes");
}

void simulated_server::report_slot_mismatch(int asked, int used) {
    world_.check(slot_for(asked) == used && asked != used,
                 "a request runs on another slot only if its own slot does not exist");
    world_.note("a request runs on another slot");
    known_.report_slot_mismatch(asked, used);
}

}  // namespace tandem::test
