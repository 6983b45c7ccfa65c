#include "service/server_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <vector>

namespace {

using tandem::placement;
using tandem::services::server_choice;
using tandem::services::server_load;
using testing::Each;
using testing::ElementsAre;
using testing::ResultOf;

server_load up(int slots = 2, double conversations = 0, double generating = 0) {
    return {.may_serve = true,
            .slots = slots,
            .conversations = conversations,
            .generating = generating};
}

std::vector<std::size_t> chosen(server_choice& choice, const std::vector<server_load>& servers,
                                int times) {
    std::vector<std::size_t> places;
    for (int i = 0; i < times; ++i) places.push_back(*choice.choose(servers));
    return places;
}

TEST(round_robin, takes_each_server_in_turn) {
    server_choice choice(placement::round_robin, 1);
    EXPECT_THAT(chosen(choice, {up(), up(9, 99), up()}, 5), ElementsAre(0u, 1u, 2u, 0u, 1u));
}

TEST(round_robin, passes_by_those_that_may_not_serve) {
    server_choice choice(placement::round_robin, 1);
    EXPECT_THAT(chosen(choice, {up(), {}, up()}, 3), ElementsAre(0u, 2u, 0u));
}

TEST(least_busy, takes_the_one_that_generates_the_least_for_its_slots) {
    server_choice choice(placement::least_busy, 1);
    EXPECT_EQ(choice.choose(std::vector{up(2, 0, 1), up(8, 9, 2), up(2, 0, 2)}), 1u);
}

TEST(least_busy, counts_conversations_if_all_generate_as_much) {
    server_choice choice(placement::least_busy, 1);
    EXPECT_EQ(choice.choose(std::vector{up(2, 5), up(2, 4), up(2, 6)}), 1u);
}

TEST(least_busy, takes_an_average_of_requests_for_the_nearest_number) {
    server_choice choice(placement::least_busy, 1);
    EXPECT_EQ(choice.choose(std::vector{up(4, 5, 1.04), up(4, 4, 0.96), up(4, 3, 1.6)}), 1u);
}

TEST(least_busy, takes_equal_servers_in_turn) {
    server_choice choice(placement::least_busy, 1);
    EXPECT_THAT(chosen(choice, {up(), up(), up()}, 4), ElementsAre(0u, 1u, 2u, 0u));
}

TEST(least_busy, takes_a_server_that_has_not_told_its_slots_for_one_of_one_slot) {
    server_choice choice(placement::least_busy, 1);
    EXPECT_EQ(choice.choose(std::vector{up(0, 3), up(4, 4)}), 1u);
}

TEST(least_busy, takes_one_of_some_at_random_if_others_place_conversations_too) {
    std::vector<server_load> servers(100, up(4));
    for (std::size_t i = 0; i < servers.size(); ++i)
        servers[i] = {.may_serve = i % 2 == 0,
                      .slots = 4,
                      .conversations = static_cast<double>(i),
                      .is_shared = true};
    server_choice choice(placement::least_busy, 1);
    std::set<std::size_t> taken;
    for (int i = 0; i < 100; ++i) taken.insert(*choice.choose(servers));
    EXPECT_THAT(taken, Each(ResultOf([](auto place) { return place % 2; }, 0u)));
    EXPECT_GT(taken.size(), 10u);
    EXPECT_LT(*std::next(taken.begin(), 10), 50u) << "the emptier ones are taken more often";
}

TEST(server_choice, is_nothing_if_no_server_may_serve) {
    for (const auto rule : {placement::round_robin, placement::least_busy}) {
        server_choice choice(rule, 1);
        EXPECT_EQ(choice.choose({}), std::nullopt);
        EXPECT_EQ(choice.choose(std::vector<server_load>(2)), std::nullopt);
    }
}

}  // namespace
