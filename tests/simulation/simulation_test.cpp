#include "simulation/simulation.hpp"

#include "simulation/run_settings.hpp"
#include "simulation/simulated_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

using tandem::detail::reply_machine;
using tandem::detail::reply_phase;
using tandem::detail::reply_phases;
using tandem::test::simulated_service;
using tandem::test::simulation;
using testing::IsEmpty;

/// "from -> to" for each transition, except the ends that are possible from every phase.
std::set<std::string> names_of(const reply_machine::transitions& made) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const auto from = static_cast<reply_phase>(i / reply_phases);
        const auto to = static_cast<reply_phase>(i % reply_phases);
        const bool anywhere = to == reply_phase::ended && from != reply_phase::generated;
        if (made[i] && !anywhere)
            names.insert(std::string(name_of(from)) + " -> " + std::string(name_of(to)));
    }
    return names;
}

/// The table rows "| `from` | `to`: when. `to`: when |" of docs/internals.md.
std::set<std::string> documented_transitions() {
    std::ifstream file(TANDEM_SOURCE_DIR "/docs/internals.md");
    const std::regex row(R"(^\| `(\w+)` \| (.*))"), phase("`(\\w+)`[:,]");
    std::set<std::string> names;
    std::smatch found;
    for (std::string line; std::getline(file, line);) {
        if (!std::regex_match(line, found, row)) continue;
        const std::string from = found[1], list = found[2];
        for (std::sregex_iterator to(list.begin(), list.end(), phase), end; to != end; ++to)
            names.insert(from + " -> " + to->str(1));
    }
    return names;
}

class simulation_shard : public testing::TestWithParam<int> {};

TEST_P(simulation_shard, keeps_every_promise_in_random_replies) {
    tandem::test::run_seeds_of<simulation>(GetParam());
}
INSTANTIATE_TEST_SUITE_P(seeds, simulation_shard,
                         testing::Range(0, tandem::test::simulation_shards));

std::set<std::string> missing(const std::set<std::string>& all, const std::set<std::string>& from) {
    std::set<std::string> names;
    std::ranges::set_difference(all, from, std::inserter(names, names.end()));
    return names;
}

template <class Run>
reply_machine::transitions made_by(std::uint64_t seeds) {
    reply_machine::transitions made;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        Run r(seed);
        r.run();
        made |= r.made();
    }
    return made;
}

TEST(simulation, makes_the_transitions_of_the_document_and_no_others) {
    const auto made = made_by<simulation>(2000) | made_by<simulated_service>(150);
    EXPECT_THAT(missing(names_of(made), documented_transitions()), IsEmpty()) << "not documented";
    EXPECT_THAT(missing(documented_transitions(), names_of(made)), IsEmpty()) << "not made";
}

TEST(simulation, gives_the_same_run_for_the_same_seed) {
    tandem::test::expect_the_same_run_for_the_same_seed<simulation>();
}

}  // namespace
