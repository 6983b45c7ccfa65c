#include "simulation/simulation.hpp"

#include "simulation/simulated_reply.hpp"
#include "text/characters/utf8.hpp"

#include <utility>

namespace tandem::test {
namespace {

using namespace std::chrono_literals;
constexpr std::uint64_t max_steps = 200'000;

slot_rules random_slots(rng& random) {
    constexpr duration guards[] = {0s, 500ms, 2s};
    slot_rules rules{.slots = pick(random, 1, 3), .guard = guards[pick(random, 0, 2)]};
    if (chance(random, 0.1)) rules.queue_limit = static_cast<std::size_t>(pick(random, 1, 2));
    return rules;
}

std::string random_prompt(rng& random) {
    return "prompt " + std::to_string(pick(random, 0, 9));
}

}  // namespace

void simulation::add(reply_plan plan, detail::reply_origin origin) {
    const auto id = replies_.size() + 1;
    replies_.push_back(std::make_unique<simulated_reply>(
        world_, id, std::move(plan), make_single_server_source(core_, id, std::move(origin)),
        *this));
}

simulation::simulation(std::uint64_t seed)
    : world_(seed), core_(world_, random_slots(world_.random())) {
    auto& random = world_.random();
    for (int n = pick(random, 1, 4); n > 0; --n) {
        auto plan = random_plan(random, random_prompt(random));
        detail::reply_origin origin{.prompt = {.text = plan.model.prompt()},
                                    .call_mark = std::string(call_mark)};
        add(std::move(plan), std::move(origin));
    }
    if (chance(random, 0.2))
        for (int n = pick(random, 1, 3); n > 0; --n)
            world_.at(up_to(random, 20'000), [this] { server_dies(); });
    if (chance(random, 0.2))
        for (int n = pick(random, 1, 6); n > 0; --n)
            world_.at(up_to(random, 15'000), [this] { server_is_taken_away(); });
    if (chance(random, 0.1))
        for (int n = pick(random, 1, 3); n > 0; --n)
            world_.at(up_to(random, 20'000), [this] { world_.leap(random_leap(world_.random())); });
}

simulation::~simulation() = default;

std::vector<std::string> simulation::run() {
    for (std::uint64_t id = 1; id <= replies_.size(); ++id)
        world_.at(up_to(world_.random(), 5000), [this, id] { replies_[id - 1]->start(); });
    world_.run(max_steps);
    if (!world_.broken().empty()) return world_.broken();
    core_.slots().check_nothing_left();
    for (const auto& r : replies_) r->check_end();
    return world_.broken();
}

detail::reply_machine::transitions simulation::made() const {
    detail::reply_machine::transitions all;
    for (const auto& r : replies_) all |= r->made();
    return all;
}

void simulation::on_ended(std::uint64_t reply, const reply_result& result,
                          detail::reply_remainder rest) {
    if (result.finish_reason != finish_reason::interrupted || chance(world_.random(), 0.3)) return;
    world_.at(up_to(world_.random(), 3000),
              [this, reply, rest = std::make_shared<detail::reply_remainder>(std::move(rest))] {
                  resume(*replies_[reply - 1], std::move(*rest));
              });
}

/// Sometimes resumes inside the last chunk, as if the listener had missed its end, and sometimes
/// without token ids, as on another server.
void simulation::resume(const simulated_reply& before, detail::reply_remainder rest) {
    auto& random = world_.random();
    auto spoken = before.spoken();
    if (chance(random, 0.6)) {
        const auto all = static_cast<int>(before.last_chunk().size());
        const auto heard = spoken.size() - static_cast<std::size_t>(pick(random, 0, all));
        const auto kept = text::floor_to_character(spoken, heard);
        rest.unspoken.insert(0, spoken.substr(kept));
        spoken.resize(kept);
    }
    // A reply that was interrupted before it had a prompt starts again.
    if (rest.text.text().empty() && !rest.generated) {
        add(before.plan(), {.prompt = {.text = before.plan().model.prompt()},
                            .call_mark = std::string(call_mark)});
        return replies_.back()->start();
    }
    // Token ids are valid only on the server that generated them.
    if (chance(random, 0.3) || core_.starts() > 0)
        rest.text.forget_ids();
    else if (chance(random, 0.5))
        rest.text.on_prompt_tokenized(before.plan().model.prompt_ids(core_.vocabulary()));
    add(before.plan(), {.rest = std::move(rest), .spoken = std::move(spoken)});
    replies_.back()->start();
}

void simulation::server_is_taken_away() {
    const auto which = pick(world_.random(), 0, static_cast<int>(replies_.size()) - 1);
    replies_[static_cast<std::size_t>(which)]->leave_server(
        {detail::server_leave_reason::kind::removed, {errc::server_gone, {}}});
}

void simulation::server_dies() {
    core_.dies();
    for (const auto& r : replies_) r->server_died(core_);
    if (chance(world_.random(), 0.9))
        world_.at(up_to(world_.random(), 10'000), [this] { core_.starts_again(); });
}

}  // namespace tandem::test
