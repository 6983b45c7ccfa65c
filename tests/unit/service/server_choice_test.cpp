#include "service/server_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace {

using tandem::placement;
using tandem::services::server_choice;
using tandem::services::server_load;
using testing::ElementsAre;

server_load up(int slots = 2, int conversations = 0, int generating = 0) {
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
    server_choice choice(placement::round_robin);
    EXPECT_THAT(chosen(choice, {up(), up(9, 99), up()}, 5), ElementsAre(0u, 1u, 2u, 0u, 1u));
}

TEST(round_robin, passes_by_those_that_may_not_serve) {
    server_choice choice(placement::round_robin);
    EXPECT_THAT(chosen(choice, {up(), {}, up()}, 3), ElementsAre(0u, 2u, 0u));
}

TEST(least_busy, takes_the_one_that_generates_the_least_for_its_slots) {
    server_choice choice(placement::least_busy);
    EXPECT_EQ(choice.choose(std::vector{up(2, 0, 1), up(8, 9, 2), up(2, 0, 2)}), 1u);
}

TEST(least_busy, counts_conversations_if_all_generate_as_much) {
    server_choice choice(placement::least_busy);
    EXPECT_EQ(choice.choose(std::vector{up(2, 5), up(2, 4), up(2, 6)}), 1u);
}

TEST(least_busy, takes_equal_servers_in_turn) {
    server_choice choice(placement::least_busy);
    EXPECT_THAT(chosen(choice, {up(), up(), up()}, 4), ElementsAre(0u, 1u, 2u, 0u));
}

TEST(least_busy, takes_a_server_that_has_not_told_its_slots_for_one_of_one_slot) {
    server_choice choice(placement::least_busy);
    EXPECT_EQ(choice.choose(std::vector{up(0, 3), up(4, 4)}), 1u);
}

TEST(server_choice, is_nothing_if_no_server_may_serve) {
    for (const auto rule : {placement::round_robin, placement::least_busy}) {
        server_choice choice(rule);
        EXPECT_EQ(choice.choose({}), std::nullopt);
        EXPECT_EQ(choice.choose(std::vector<server_load>(2)), std::nullopt);
    }
}

}  // namespace
