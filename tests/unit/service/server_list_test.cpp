#include "service/server_list.hpp"

#include "support/at.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::placement;
using tandem::services::leave_kind;
using tandem::services::listed_server;
using tandem::services::no_server;
using tandem::services::server_id;
using tandem::services::server_list;
using tandem::services::server_state;
using tandem::test::at;
using testing::ElementsAre;
using testing::IsEmpty;

server_state all_is_well(const listed_server&) {
    return {.takes_requests = true, .slots = 2};
}

// Two servers with a successful health check at startup.
struct two_servers {
    server_list list{placement::round_robin, 5s};
    server_id one = list.add("one");
    server_id two = list.add("two");

    two_servers() {
        for (const auto id : list.take_due_checks(at(0s)))
            list.find(id)->health.record_check_result(at(0s), {}, {});
    }
    server_id place(server_id pinned, bool elsewhere = false) {
        const auto* s =
            list.assign_server({.pinned = pinned, .prefer_other = elsewhere}, all_is_well);
        return s ? s->id : no_server;
    }
};

TEST(server_list, has_each_server_once) {
    two_servers t;
    EXPECT_EQ(t.list.add("one"), no_server);
    EXPECT_EQ(t.list.all().size(), 2u);
}

TEST(server_list, knows_a_server_by_another_spelling_of_its_url) {
    server_list list(placement::round_robin, 5s);
    ASSERT_NE(list.add("http://host:80"), no_server);
    EXPECT_EQ(list.add("http://HOST/"), no_server);
}

TEST(server_list, leaves_a_conversation_where_it_is) {
    two_servers t;
    EXPECT_EQ(t.place(no_server), t.one);
    EXPECT_EQ(t.place(t.one), t.one);
    EXPECT_EQ(t.list.find(t.one)->conversations, 1);
}

// --- the previous server of a conversation

TEST(server_list, begins_a_conversation_where_it_was) {
    two_servers t;
    EXPECT_EQ(t.list.pin_if_suitable("two", all_is_well), t.list.find(t.two));
    EXPECT_EQ(t.list.find(t.two)->conversations, 1);
    EXPECT_EQ(t.place(t.two), t.two);
    EXPECT_EQ(t.list.find(t.two)->conversations, 1) << "it counts once";
}

TEST(server_list, begins_it_anywhere_if_that_server_cannot_serve) {
    two_servers t;
    EXPECT_FALSE(t.list.pin_if_suitable("three", all_is_well));
    t.list.remove(at(0s), "two", 1min);
    EXPECT_FALSE(t.list.pin_if_suitable("two", all_is_well));
    EXPECT_FALSE(t.list.pin_if_suitable(
        "one", [](const listed_server&) { return server_state{.takes_requests = false}; }));
    EXPECT_EQ(t.list.find(t.one)->conversations, 0);
}

TEST(server_list, begins_it_where_it_was_on_a_full_server_only_if_no_other_has_room) {
    two_servers t;
    for (int i = 0; i < 2; ++i) t.list.on_turn_started(t.two);
    EXPECT_FALSE(t.list.pin_if_suitable("two", all_is_well));
    for (int i = 0; i < 2; ++i) t.list.on_turn_started(t.one);
    EXPECT_TRUE(t.list.pin_if_suitable("two", all_is_well));
}

TEST(server_list, counts_requests_of_other_processes_on_a_full_server) {
    two_servers t;
    const auto use = [&t](double running) {
        return [&t, running](const listed_server& s) {
            return server_state{
                .slots = 4, .is_shared = true, .running_elsewhere = s.id == t.two ? running : 0};
        };
    };
    EXPECT_FALSE(t.list.pin_if_suitable("two", use(3.96)));
    EXPECT_TRUE(t.list.pin_if_suitable("two", use(3.4)));
}

TEST(server_list, moves_a_conversation_that_must_go_elsewhere) {
    two_servers t;
    t.place(no_server);
    EXPECT_EQ(t.place(t.one, true), t.two);
    EXPECT_EQ(t.list.find(t.one)->conversations, 0);
    EXPECT_EQ(t.list.find(t.two)->conversations, 1);
}

TEST(server_list, leaves_it_where_it_is_if_there_is_no_other) {
    two_servers t;
    t.place(no_server);
    t.list.find(t.two)->health.record_request_failure(at(0s), errc::connect_failed, {});
    EXPECT_EQ(t.place(t.one, true), t.one);
}

TEST(server_list, places_at_a_server_that_hangs_if_no_other_may_serve) {
    two_servers t;
    for (const auto id : {t.one, t.two})
        t.list.find(id)->health.record_check_result(at(1s), errc::request_timeout, {});
    EXPECT_EQ(t.place(no_server), t.one);
    t.list.find(t.two)->health.record_check_result(at(2s), {}, {});
    EXPECT_EQ(t.place(t.one), t.two);
}

TEST(server_list, has_a_server_that_is_away_left_even_if_there_is_no_other) {
    two_servers t;
    EXPECT_EQ(t.list.leave_reason(t.one, all_is_well), std::nullopt) << "it may serve";
    for (const auto id : {t.one, t.two})
        t.list.find(id)->health.record_check_result(at(1s), errc::connect_failed, {});
    EXPECT_EQ(t.list.leave_reason(t.one, all_is_well), leave_kind::away);
    EXPECT_EQ(t.list.leave_reason(no_server, all_is_well), std::nullopt);
}

TEST(server_list, has_a_server_that_hangs_left_if_another_one_may_serve) {
    two_servers t;
    t.list.find(t.one)->health.record_check_result(at(1s), errc::request_timeout, {});
    EXPECT_EQ(t.list.leave_reason(t.one, all_is_well), leave_kind::hangs);
    const auto circuit_is_open = [](const listed_server&) { return server_state{false, 2}; };
    EXPECT_EQ(t.list.leave_reason(t.one, circuit_is_open), std::nullopt);
    t.list.find(t.two)->health.record_check_result(at(1s), errc::request_timeout, {});
    EXPECT_EQ(t.list.leave_reason(t.one, all_is_well), std::nullopt);
}

TEST(server_list, places_nothing_if_the_circuit_is_open) {
    two_servers t;
    const auto open_at_one = [&](const listed_server& s) {
        return server_state{.takes_requests = s.id != t.one, .slots = 2};
    };
    EXPECT_EQ(t.list.assign_server({.pinned = t.one}, open_at_one)->id, t.two);
}

TEST(server_list, places_nothing_if_a_conversation_would_not_go) {
    two_servers t;
    const auto place_without = [&](std::vector<server_id> without) {
        const auto* s = t.list.assign_server({.pinned = t.one, .excluded = without}, all_is_well);
        return s ? s->id : no_server;
    };
    EXPECT_EQ(place_without({t.two}), t.one);
    EXPECT_EQ(place_without({t.one}), t.two);
    EXPECT_EQ(place_without({t.one, t.two}), no_server);
}

TEST(server_list, places_nothing_on_a_server_that_is_being_removed) {
    two_servers t;
    t.list.remove(at(0s), "one", 1min);
    EXPECT_EQ(t.place(t.one), t.two);
    t.list.remove(at(0s), "two", 1min);
    EXPECT_EQ(t.place(t.two), no_server);
}

TEST(server_list, places_nothing_on_a_drained_server_and_keeps_it) {
    two_servers t;
    t.list.on_turn_started(t.one);
    EXPECT_TRUE(t.list.set_drained("one", true));
    EXPECT_FALSE(t.list.set_drained("one", true)) << "nothing changes";
    EXPECT_FALSE(t.list.set_drained("three", true)) << "it is not there";
    EXPECT_EQ(t.place(t.one), t.two);
    EXPECT_FALSE(t.list.pin_if_suitable("one", all_is_well));
    EXPECT_FALSE(t.list.on_turn_ended(t.one));
    EXPECT_THAT(t.list.drop_idle_removed_servers(), IsEmpty());
    EXPECT_TRUE(t.list.set_drained("one", false));
    EXPECT_EQ(t.place(t.one), t.one);
}

TEST(server_list, drops_a_drained_server_that_is_removed) {
    two_servers t;
    t.list.set_drained("one", true);
    t.list.remove(at(0s), "one", 1min);
    EXPECT_THAT(t.list.drop_idle_removed_servers(), ElementsAre(t.one));
    EXPECT_NE(t.list.add("one"), no_server);
    EXPECT_FALSE(t.list.find("one")->is_drained);
}

TEST(server_list, asks_for_the_health_of_what_is_away_soon_if_nothing_is_up) {
    two_servers t;
    for (const auto id : {t.one, t.two}) {
        auto& health = t.list.find(id)->health;
        health.record_request_failure(at(0s), errc::connect_failed, {});
        for (int i = 0; i < 4; ++i) health.record_check_result(at(1s), errc::connect_failed, {});
    }
    t.list.find(t.two)->health.record_check_result(at(1s), {}, {});
    EXPECT_EQ(t.place(t.one), t.two);
    EXPECT_GT(t.list.find(t.one)->health.next_check(), at(2s)) << "nobody waits for it";
    t.list.find(t.two)->health.record_request_failure(at(1s), errc::connect_failed, {});
    EXPECT_EQ(t.place(t.one), no_server);
    EXPECT_EQ(t.list.find(t.one)->health.next_check(), at(1s) + 400ms);
}

TEST(server_list, drops_a_removed_server_with_its_last_reply) {
    two_servers t;
    t.list.on_turn_started(t.one);
    t.list.remove(at(0s), "one", 1min);
    EXPECT_THAT(t.list.drop_idle_removed_servers(), IsEmpty());
    EXPECT_TRUE(t.list.on_turn_ended(t.one));
    EXPECT_THAT(t.list.drop_idle_removed_servers(), ElementsAre(t.one));
    EXPECT_EQ(t.list.find(t.one), nullptr);
}

TEST(server_list, keeps_a_server_that_is_added_again_in_time) {
    two_servers t;
    t.list.on_turn_started(t.one);
    t.list.remove(at(0s), "one", 1min);
    t.list.add("one");
    EXPECT_FALSE(t.list.on_turn_ended(t.one));
    EXPECT_THAT(t.list.drop_idle_removed_servers(), IsEmpty());
}

TEST(server_list, reports_once_that_a_removed_server_is_overdue) {
    two_servers t;
    t.list.on_turn_started(t.one);
    t.list.remove(at(0s), "one", 1s);
    EXPECT_EQ(t.list.next_event(true), at(1s));
    EXPECT_THAT(t.list.take_expired_removals(at(900ms)), IsEmpty());
    EXPECT_THAT(t.list.take_expired_removals(at(1s)), ElementsAre(t.one));
    EXPECT_THAT(t.list.take_expired_removals(at(1s)), IsEmpty());
}

// After all the text of a reply has arrived, the voice may still speak for a long time. The list
// must not wake up meanwhile.
TEST(server_list, does_not_wake_up_again_and_again_for_what_stays_too_long) {
    two_servers t;
    t.list.on_turn_started(t.one);
    t.list.remove(at(0s), "one", 1s);
    t.list.take_expired_removals(at(1s));
    EXPECT_EQ(t.list.next_event(false), std::nullopt);
}

TEST(server_list, reports_a_reply_that_arrives_when_it_is_too_late) {
    two_servers t;
    t.list.on_turn_started(t.one);
    t.list.remove(at(0s), "one", 1s);
    t.list.take_expired_removals(at(1s));
    t.list.on_turn_started(t.one);
    EXPECT_THAT(t.list.take_expired_removals(at(2s)), ElementsAre(t.one));
}

TEST(server_list, asks_for_the_health_of_what_stays_and_only_while_somebody_watches) {
    two_servers t;
    t.list.on_turn_started(t.one);
    t.list.remove(at(0s), "one", 1min);
    EXPECT_EQ(t.list.next_event(true), at(5s));
    EXPECT_EQ(t.list.next_event(false), at(1min));
    EXPECT_THAT(t.list.take_due_checks(at(5s)), ElementsAre(t.two));
    EXPECT_THAT(t.list.take_due_checks(at(5s)), IsEmpty()) << "the answer has not arrived";
}

}  // namespace
