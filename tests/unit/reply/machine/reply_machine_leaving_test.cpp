// When a reply leaves a server before one of its own requests has failed there.

#include "patient_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using kind = tandem::test::patient_driver::leave_kind;
using tandem::detail::reply_phase;
using tandem::test::patient_driver;
using testing::Contains;
using testing::ElementsAre;

constexpr kind all_kinds[] = {kind::removed, kind::away, kind::hangs};

// Drives a reply until its voice speaks.
void rest(patient_driver& d) {
    d.begin();
    d.tokens("Hello!", " How");
    EXPECT_EQ(d.machine.phase(), reply_phase::resting);
    d.wants();
}

TEST(reply_machine_leaving, looks_elsewhere_for_any_reason_while_it_rests) {
    for (const auto what : all_kinds) {
        patient_driver d;
        rest(d);
        d.leave(what);
        EXPECT_EQ(d.machine.phase(), reply_phase::seeking);
    }
}

TEST(reply_machine_leaving, lets_a_request_find_out_that_its_server_is_away) {
    patient_driver d;
    d.begin();
    d.leave(kind::away);
    EXPECT_EQ(d.machine.phase(), reply_phase::first_token);
}

TEST(reply_machine_leaving, leaves_a_removed_server_in_the_middle_of_a_request) {
    patient_driver d;
    d.begin();
    d.token("Hello");
    d.leave(kind::removed);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "lost: server_gone", "server?"));
}

TEST(reply_machine_leaving, leaves_a_server_that_hangs_unless_it_has_heard_of_it_since) {
    patient_driver d;
    d.begin();
    const auto asked = d.now;
    d.pass(1s);
    d.token("Hello");
    d.leave(kind::hangs, asked);
    EXPECT_EQ(d.machine.phase(), reply_phase::streaming);
    d.leave(kind::hangs, d.now + 1ms);
    EXPECT_EQ(d.machine.phase(), reply_phase::seeking);
}

TEST(reply_machine_leaving, counts_a_request_that_was_sent_since_as_heard) {
    patient_driver d;
    d.begin();
    d.leave(kind::hangs, d.now);
    EXPECT_EQ(d.machine.phase(), reply_phase::first_token);
    d.leave(kind::hangs, d.now + 1ms);
    EXPECT_EQ(d.machine.phase(), reply_phase::seeking);
}

TEST(reply_machine_leaving, has_a_request_that_refutes_a_check_unless_the_server_is_removed) {
    patient_driver d;
    const auto refutes = [&d](kind what, tandem::time_point asked) {
        return d.machine.refutes_reason({what, {}, asked});
    };
    EXPECT_FALSE(refutes(kind::away, d.now)) << "there is no request";
    d.begin();
    EXPECT_TRUE(refutes(kind::away, d.now + 1ms));
    EXPECT_TRUE(refutes(kind::hangs, d.now));
    EXPECT_FALSE(refutes(kind::hangs, d.now + 1ms)) << "nothing was heard since";
    EXPECT_FALSE(refutes(kind::removed, d.now));
}

TEST(reply_machine_leaving, waits_for_no_slot_of_a_server_that_hangs) {
    patient_driver d;
    d.ask();
    d.start();
    d.wants();
    d.leave(kind::hangs, d.now);
    EXPECT_THAT(d.wants(), ElementsAre("slot no more", "lost: no_model", "server?"));
}

TEST(reply_machine_leaving, finds_out_that_its_server_is_away_by_the_request_that_it_waits_for) {
    patient_driver d;
    d.ask();
    d.start();
    d.leave(kind::away);
    EXPECT_EQ(d.machine.phase(), reply_phase::queued);
}

TEST(reply_machine_leaving, uses_up_no_retries) {
    auto rules = patient_driver::patient_rules();
    rules.retry_policy.retries = 1;
    patient_driver d(rules);
    d.begin();
    for (int i = 0; i < 4; ++i) {
        d.leave(kind::hangs, d.now + 1ms);
        ASSERT_EQ(d.machine.phase(), reply_phase::seeking);
        d.pass(400ms);
        d.deadline();
        d.found();
        d.grant(0);
    }
    EXPECT_FALSE(d.machine.ended());
}

TEST(reply_machine_leaving, stays_if_it_could_not_continue) {
    auto rules = patient_driver::patient_rules();
    rules.retry_policy.retries = 0;
    for (const auto what : {kind::away, kind::hangs}) {
        patient_driver d(rules);
        rest(d);
        d.leave(what, d.now + 1s);
        EXPECT_EQ(d.machine.phase(), reply_phase::resting);
    }
}

TEST(reply_machine_leaving, stays_with_a_grammar_that_has_begun) {
    auto rules = patient_driver::patient_rules();
    rules.is_constrained = true;
    patient_driver d(rules);
    d.begin();
    d.leave(kind::hangs, d.now + 1s);
    EXPECT_THAT(d.wants(), Contains("server?")) << "nothing was read";
    d.found(2, {.prompt = {.text = "P"}});
    d.grant(0);
    d.token("{");
    d.leave(kind::hangs, d.now + 1s);
    EXPECT_EQ(d.machine.phase(), reply_phase::streaming);
}

TEST(reply_machine_leaving, has_nothing_to_leave_if_all_is_generated) {
    for (const auto what : all_kinds) {
        patient_driver d;
        d.begin();
        d.token("Hello.");
        d.final();
        d.leave(what, d.now + 1s);
        EXPECT_EQ(d.machine.phase(), reply_phase::generated);
    }
}

}  // namespace
