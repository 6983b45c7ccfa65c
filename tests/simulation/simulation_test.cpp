#include "simulation/simulation.hpp"

#include "support/run_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <string>

namespace {

using tandem::detail::reply_machine;
using tandem::detail::reply_phase;
using tandem::detail::reply_phases;
using tandem::test::number_from;
using tandem::test::simulation;
using testing::IsEmpty;

/// "from -> to" for each transition, but for the ends that are possible from every phase.
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

/// The rows "| `from` | `to` |" of the document.
std::set<std::string> documented_transitions() {
    std::ifstream file(TANDEM_SOURCE_DIR "/docs/architecture.md");
    const std::regex row(R"(^\| `(\w+)` \| `(\w+)` \|.*)");
    std::set<std::string> names;
    std::smatch found;
    for (std::string line; std::getline(file, line);)
        if (std::regex_match(line, found, row))
            names.insert(found[1].str() + " -> " + found[2].str());
    return names;
}

// TANDEM_SIMULATION_SEED=N runs one seed again; TANDEM_SIMULATION_REPLIES=N runs that many.
TEST(simulation, keeps_every_promise_in_a_hundred_thousand_random_replies) {
    const auto first = number_from("TANDEM_SIMULATION_SEED", 1);
    const auto replies = std::getenv("TANDEM_SIMULATION_SEED")
                             ? 1
                             : number_from("TANDEM_SIMULATION_REPLIES", 100'000);
    std::uint64_t run = 0;
    std::uint64_t steps = 0;
    for (auto seed = first; run < replies; ++seed) {
        simulation s(seed);
        ASSERT_THAT(s.run(), IsEmpty()) << "run it again with TANDEM_SIMULATION_SEED=" << seed
                                        << " after " << s.steps() << " steps";
        run += s.replies();
        steps += s.steps();
    }
    std::cout << run << " replies, " << steps << " steps, seeds from " << first << "\n";
}

TEST(simulation, makes_the_transitions_of_the_document_and_no_others) {
    reply_machine::transitions made;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        simulation s(seed);
        s.run();
        made |= s.made();
    }
    EXPECT_EQ(names_of(made), documented_transitions());
}

TEST(simulation, gives_the_same_run_for_the_same_seed) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        simulation one(seed);
        simulation other(seed);
        one.run();
        other.run();
        EXPECT_EQ(one.steps(), other.steps());
    }
}

}  // namespace
