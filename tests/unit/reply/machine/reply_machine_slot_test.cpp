// What a reply reports about the slot of its request.

#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::test::machine_driver;
using tandem::wire::token_event;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

machine_driver that_erases() {
    auto rules = machine_driver::default_rules();
    rules.erase_after_cut = true;
    return machine_driver(rules);
}

token_event final_event_of_slot(int slot) {
    token_event e;
    e.what = token_event::kind::final;
    e.id_slot = slot;
    return e;
}

TEST(reply, has_begun_once_there_is_text) {
    machine_driver d;
    EXPECT_FALSE(d.machine.has_begun());
    d.begin();
    EXPECT_FALSE(d.machine.has_begun());
    d.token("Hello");
    EXPECT_TRUE(d.machine.has_begun());
}

TEST(slot_of_a_reply, is_released_with_the_tokens_after_the_first_one_and_their_time) {
    machine_driver d;
    d.begin();
    d.pass(300ms);
    for (const auto* text : {"One", " two", " three"}) {
        d.pass(50ms);
        d.token(text);
    }
    d.pass(1s);
    d.interrupt();
    d.wants();
    EXPECT_EQ(d.released.generated.tokens, 2);
    EXPECT_EQ(d.released.generated.time, 100ms);
}

TEST(slot_of_a_reply, is_released_with_the_tokens_of_its_last_request_only) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!", " How");
    d.go_on(0);
    d.pass(1s);
    d.grant(0);
    d.interrupt();
    d.wants();
    EXPECT_EQ(d.released.generated.tokens, 0);
    EXPECT_EQ(d.released.generated.time, 0ms);
}

TEST(slot_of_a_reply, is_erased_after_a_cut_if_that_is_wanted) {
    auto d = that_erases();
    d.begin();
    d.tokens("Hello", "!", " How");
    EXPECT_THAT(d.wants(), Contains("release 0 erased"));
}

TEST(slot_of_a_reply, is_not_erased_after_a_request_that_ended_by_itself) {
    auto d = that_erases();
    d.begin();
    d.token("Hello");
    d.final();
    EXPECT_THAT(d.wants(), Contains("release 0"));
}

TEST(slot_of_a_reply, is_not_erased_after_a_request_that_failed) {
    auto d = that_erases();
    d.begin();
    d.token("Hello");
    d.fail(errc::stream_incomplete);
    EXPECT_THAT(d.wants(), Contains("release 0"));
}

TEST(slot_of_a_reply, may_be_busy_when_the_cut_came_before_the_first_token) {
    machine_driver d;
    d.begin();
    d.begun();
    d.interrupt();
    EXPECT_THAT(d.wants(), Contains("release 0, maybe busy"));
}

TEST(slot_of_a_reply, may_be_busy_when_the_first_token_took_too_long) {
    machine_driver d;
    d.begin();
    d.pass(60s);
    d.deadline();
    EXPECT_THAT(d.wants(), Contains("release 0, maybe busy"));
}

TEST(slot_of_a_reply, is_idle_when_the_cut_came_after_the_first_token) {
    machine_driver d;
    d.begin();
    d.token("");
    d.interrupt();
    EXPECT_THAT(d.wants(), Contains("release 0"));
}

TEST(slot_of_a_reply, is_idle_when_its_request_was_refused) {
    machine_driver d;
    d.begin();
    d.fail(errc::bad_request);
    EXPECT_THAT(d.wants(), Contains("release 0"));
}

TEST(slot_of_a_reply, was_busy_if_the_server_begins_late) {
    machine_driver d;
    d.begin();
    d.pass(500ms);
    d.begun();
    d.begun();
    EXPECT_THAT(d.wants(), ElementsAre("slot 0 held back for 500 ms"));
}

TEST(slot_of_a_reply, was_idle_if_the_server_begins_soon) {
    machine_driver d;
    d.begin();
    d.pass(499ms);
    d.begun();
    d.pass(10s);
    d.begun();
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST(slot_of_a_reply, is_named_if_the_server_did_not_begin_in_time) {
    machine_driver d;
    d.begin();
    d.pass(60s);
    d.deadline();
    EXPECT_THAT(d.machine.result().diagnostics.client_message, HasSubstr("did not start"));
}

TEST(slot_of_a_reply, has_no_blame_if_the_server_began_and_gave_no_token) {
    machine_driver d;
    d.begin();
    d.begun();
    d.pass(60s);
    d.deadline();
    EXPECT_THAT(d.machine.result().diagnostics.client_message,
                testing::AllOf(HasSubstr("no token"), Not(HasSubstr("did not start"))));
}

TEST(slot_of_a_reply, is_reported_if_it_is_not_the_one_that_was_asked_for) {
    machine_driver d;
    d.start();
    d.grant(1);
    d.token("Hello");
    d.wants();
    d.machine.on_event_read(d.now, final_event_of_slot(0));
    EXPECT_THAT(d.wants(), Contains("slot 0 for 1"));
}

TEST(slot_of_a_reply, is_not_told_if_it_is_the_right_one_or_unknown) {
    for (const int slot : {1, -1}) {
        machine_driver d;
        d.start();
        d.grant(1);
        d.token("Hello");
        d.wants();
        d.machine.on_event_read(d.now, final_event_of_slot(slot));
        EXPECT_THAT(d.wants(), ElementsAre("close", "release 1"));
    }
}

}  // namespace
