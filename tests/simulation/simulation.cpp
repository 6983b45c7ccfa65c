#include "simulation/simulation.hpp"

#include "simulation/simulated_reply.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace tandem::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
constexpr std::uint64_t most_steps = 200'000;

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

simulation::simulation(std::uint64_t seed)
    : world_(seed), slots_(world_, random_slots(world_.random())) {
    auto& random = world_.random();
    for (int n = pick(random, 1, 4); n > 0; --n)
        replies_.push_back(std::make_unique<simulated_reply>(
            world_, replies_.size() + 1, random_plan(random, random_prompt(random)), *this));
}

simulation::~simulation() = default;

std::vector<std::string> simulation::run() {
    for (std::uint64_t id = 1; id <= replies_.size(); ++id)
        world_.at(milliseconds(pick(world_.random(), 0, 5000)),
                  [this, id] { replies_[id - 1]->start({.slots = &slots_, .owner = id}); });
    world_.run(most_steps);
    if (!world_.broken().empty()) return world_.broken();
    slots_.check_nothing_left();
    for (const auto& r : replies_) r->check_end();
    return world_.broken();
}

detail::reply_machine::transitions simulation::made() const {
    detail::reply_machine::transitions all;
    for (const auto& r : replies_) all |= r->made();
    return all;
}

void simulation::ended(std::uint64_t reply, const reply_result& result, detail::reply_rest rest) {
    if (result.finish_reason != finish_reason::interrupted || chance(world_.random(), 0.3)) return;
    world_.at(milliseconds(pick(world_.random(), 0, 3000)),
              [this, reply, rest = std::make_shared<detail::reply_rest>(std::move(rest))] {
                  resume(*replies_[reply - 1], std::move(*rest));
              });
}

/// The listener did not hear all of the last chunk, perhaps, and another server may go on.
void simulation::resume(const simulated_reply& before, detail::reply_rest rest) {
    auto& random = world_.random();
    auto spoken = before.spoken();
    if (chance(random, 0.6)) {
        const auto all = static_cast<int>(before.last_chunk().size());
        const auto heard = spoken.size() - static_cast<std::size_t>(pick(random, 0, all));
        const auto kept = text::floor_to_character(spoken, heard);
        rest.unspoken.insert(0, spoken.substr(kept));
        spoken.resize(kept);
    }
    if (chance(random, 0.3))
        rest.text.forget_ids();
    else if (chance(random, 0.5))
        rest.text.prompt_tokenized(before.plan().model.prompt_ids());
    const auto id = replies_.size() + 1;
    replies_.push_back(std::make_unique<simulated_reply>(world_, id, before.plan(), *this));
    replies_.back()->resume({.slots = &slots_, .owner = id}, std::move(rest), std::move(spoken));
}

}  // namespace tandem::test
