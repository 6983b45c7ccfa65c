// The choice among several slots: by their text, their prefilling, and the work of the server.

#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::time_point;
using tandem::slots::describe_wait;
using tandem::slots::max_compared_bytes;
using tandem::slots::request_kind;
using tandem::slots::server_slot_state;
using tandem::slots::slot_request;
using tandem::slots::slot_scheduler;
using tandem::slots::ticket;
using tandem::test::at;
using tandem::test::guard;
using tandem::test::use_all;

/// The state of a slot after its last use.
struct slot_left {
    /// When the slot's last request ended, in seconds; empty if the slot was never used.
    std::optional<int> used_at{};
    const char* holds = "";
    server_slot_state side = server_slot_state::idle;
};

struct choice {
    const char* name;
    std::vector<slot_left> slots;
    slot_request asked;
    /// The slot that is granted at 10 s; empty if the ticket waits.
    std::optional<int> granted;
    /// The end of the wait in seconds; empty if the ticket waits for other replies.
    std::optional<int> waits_until{};

    friend std::ostream& operator<<(std::ostream& out, const choice& c) { return out << c.name; }
};

/// A scheduler with slots in these states.
slot_scheduler scheduler_of(const std::vector<slot_left>& slots) {
    slot_scheduler s(static_cast<int>(slots.size()), guard);
    for (std::size_t i = 0; i < slots.size(); ++i) s.request();
    s.take_grants(at(0s));
    for (int second = 0; second <= 10; ++second)
        for (std::size_t i = 0; i < slots.size(); ++i)
            if (slots[i].used_at == second)
                s.release(static_cast<int>(i), at(std::chrono::seconds(second)),
                          {.server_state = slots[i].side, .holds = slots[i].holds});
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (!slots[i].used_at) s.release(static_cast<int>(i), at(0s), {.has_run = false});
    return s;
}

class slot_choice : public testing::TestWithParam<choice> {};

TEST_P(slot_choice, is_the_best_slot) {
    const auto& c = GetParam();
    auto s = scheduler_of(c.slots);
    const auto t = s.request(c.asked);
    const auto given = s.take_grants(at(10s));
    if (c.granted) {
        ASSERT_EQ(given.size(), 1u);
        EXPECT_EQ(given[0].ticket, t);
        EXPECT_EQ(given[0].slot, *c.granted);
        return;
    }
    EXPECT_TRUE(given.empty());
    std::optional<time_point> due;
    if (c.waits_until) due = at(std::chrono::seconds(*c.waits_until));
    EXPECT_EQ(next_grant(s), due);
}

constexpr auto busy = server_slot_state::busy;
constexpr auto maybe_busy = server_slot_state::maybe_busy;
const slot_request dear{.prompt = "Dear Anna"};

INSTANTIATE_TEST_SUITE_P(
    one_slot, slot_choice,
    testing::Values(
        choice{"ready", {{8}}, {}, 0}, choice{"guarded", {{9}}, {}, {}, 11},
        choice{"with other text", {{8, "Other"}}, dear, 0},
        choice{"maybe busy", {{8, "", maybe_busy}}, {}, 0},
        choice{"stuck, but there is no other", {{8, "", busy}}, {}, 0},
        choice{"stuck and guarded", {{9, "", busy}}, {}, {}, 11},
        choice{"to prefill", {{8}}, {.kind = request_kind::background}, 0},
        choice{"stuck, to prefill", {{8, "", busy}}, {.kind = request_kind::background}, {}}));

INSTANTIATE_TEST_SUITE_P(
    two_slots, slot_choice,
    testing::Values(
        choice{"holds the most", {{3, "Dear A"}, {5, "Dear"}}, dear, 0},
        choice{"holds the most, though the other holds more of something else",
               {{3, "Dear"}, {5, "Deaf as a post"}},
               dear,
               0},
        choice{"both hold as much: used last", {{3, "Dear"}, {5, "Dear"}}, dear, 1},
        choice{"unknown text: used last", {{3}, {5}}, dear, 1},
        choice{"no prompt: used last", {{3, "Dear Anna"}, {5}}, {}, 1},
        choice{"guard over before more text", {{3, "Other"}, {9, "Dear Anna"}}, dear, 0},
        choice{
            "guarded both: the first, whatever they hold", {{10, "Dear Anna"}, {9}}, dear, {}, 11},
        choice{"prefilled before more text",
               {{3, "Dear"}, {5, "Dear Ann"}},
               {.prompt = "Dear Anna", .warmed = 0},
               0},
        choice{"prefilled before used last",
               {{3, "Dear"}, {5, "Dear"}},
               {.prompt = "Dear Anna", .warmed = 0},
               0},
        choice{"prefilled, but nobody knows with what",
               {{3}, {5}},
               {.prompt = "Dear Anna", .warmed = 0},
               1},
        choice{"prefilled, but maybe busy",
               {{3, "Dear", maybe_busy}, {5}},
               {.prompt = "Dear Anna", .warmed = 0},
               1},
        choice{"prefilled, but taken by another since",
               {{3, "Other"}, {5, "Dear"}},
               {.prompt = "Dear Anna", .warmed = 0},
               1},
        choice{"prefilled, but guarded", {{9}, {5}}, {.warmed = 0}, 1},
        choice{"prefilled, but stuck", {{3, "", busy}, {5}}, {.warmed = 0}, 1},
        choice{"prefilled, but no slot any more", {{3}, {5}}, {.warmed = 7}, 1},
        choice{"maybe busy after all text", {{3, "Dear Anna", maybe_busy}, {5}}, dear, 1},
        choice{"maybe busy before guarded", {{3, "", maybe_busy}, {9}}, {}, 0},
        choice{"stuck after maybe busy", {{3, "", maybe_busy}, {5, "", busy}}, {}, 0},
        choice{"stuck after guarded", {{3, "Dear Anna", busy}, {9}}, dear, {}, 11},
        choice{"stuck both: the one with the text", {{3, "Dear", busy}, {5, "", busy}}, dear, 0},
        choice{"to prefill: as a live one",
               {{3, "Dear A"}, {5, "Dear"}},
               {.prompt = "Dear Anna", .kind = request_kind::background},
               0},
        choice{"to prefill: the one whose guard ends first",
               {{10}, {9}},
               {.kind = request_kind::background},
               {},
               11}));

INSTANTIATE_TEST_SUITE_P(
    more_slots, slot_choice,
    testing::Values(
        choice{"the most of three", {{3, "D"}, {4, "Dear An"}, {5, "Dear"}}, dear, 1},
        choice{"the most of those whose guard is over",
               {{3, "D"}, {9, "Dear Anna"}, {5, "Dear"}},
               dear,
               2},
        choice{"all as good, none used last: whose guard ended first",
               {{4, "Dear"}, {3, "Dear"}, {5, "Other"}},
               dear,
               1},
        choice{"never used before used, with no text", {{4, "Other"}, {}, {5, "Other"}}, dear, 2},
        choice{"the most of four, though one is stuck",
               {{3, "Dear Anna", busy}, {4, "Dear"}, {5, "De"}, {9, "Dear Anna"}},
               dear,
               1}));

TEST(slot_choice, with_one_conversation_on_two_slots_is_that_of_the_seed) {
    for (const auto pause : {0ms, 300ms, 1500ms, 1999ms, 2000ms, 5000ms}) {
        slot_scheduler by_text(2, guard), seed(2, guard);
        std::string text = "Prompt.";
        auto t = at(0s);
        for (int chunk = 0; chunk < 12; ++chunk) {
            by_text.request({.prompt = text});
            seed.request();
            auto given = by_text.take_grants(t);
            auto expected = seed.take_grants(t);
            if (expected.empty()) {
                EXPECT_TRUE(given.empty());
                ASSERT_EQ(next_grant(by_text), next_grant(seed));
                t = next_grant(seed).value();
                given = by_text.take_grants(t);
                expected = seed.take_grants(t);
            }
            ASSERT_EQ(given.size(), 1u);
            EXPECT_EQ(given[0].slot, expected.at(0).slot) << "chunk " << chunk;
            EXPECT_EQ(given[0].reused, expected[0].reused);
            EXPECT_EQ(given[0].guard_wait, expected[0].guard_wait);
            text += " And so on.";
            by_text.release(given[0].slot, t, {.holds = text});
            seed.release(expected[0].slot, t);
            // Every third chunk is spoken quickly; the others take longer.
            t += chunk % 3 == 0 ? 100ms : pause;
        }
    }
}

TEST(slot_choice, leaves_each_of_two_conversations_its_own_slot) {
    slot_scheduler s(2, 0s);
    std::string texts[] = {"Tell me of ships.", "What is for dinner?"};
    s.request({.prompt = texts[0]});
    s.request({.prompt = texts[1]});
    ASSERT_EQ(s.take_grants(at(0s)).size(), 2u);
    for (const int talk : {0, 1}) s.release(talk, at(0s), {.holds = texts[talk]});
    for (const int talk : {0, 0, 1, 0, 1, 1, 0}) {
        s.request({.prompt = texts[talk] += " Well."});
        const auto given = s.take_grants(at(0s));
        ASSERT_EQ(given.size(), 1u);
        EXPECT_EQ(given[0].slot, talk);
        s.release(given[0].slot, at(0s), {.holds = texts[talk]});
    }
}

TEST(slot_text, is_compared_up_to_its_bound) {
    const std::string same(max_compared_bytes, 'x');
    slot_scheduler s(2, 0s);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = same + "Dear"});
    s.release(1, at(2s), {.holds = same});
    s.request({.prompt = same + "Dear Anna"});
    EXPECT_EQ(s.take_grants(at(3s)).at(0).slot, 1);
}

TEST(slot_text, is_compared_to_the_byte) {
    const std::string prompt(1000, 'x');
    for (std::size_t same = 0; same < 999; ++same) {
        slot_scheduler s(2, 0s);
        s.request();
        s.request();
        s.take_grants(at(0s));
        auto other = prompt;
        other[same] = 'y';
        s.release(0, at(1s), {.holds = prompt.substr(0, same + 1)});
        s.release(1, at(2s), {.holds = other});
        s.request({.prompt = prompt});
        ASSERT_EQ(s.take_grants(at(3s)).at(0).slot, 0) << same;
    }
}

TEST(slot_text, is_unknown_after_a_use_that_does_not_tell) {
    slot_scheduler s(2, 0s);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Dear Anna"});
    s.release(1, at(2s), {.holds = "Dear"});
    s.request({.prompt = "Dear Anna"});
    EXPECT_EQ(s.take_grants(at(3s)).at(0).slot, 0);
    s.release(0, at(3s));
    s.request({.prompt = "Dear Anna"});
    EXPECT_EQ(s.take_grants(at(4s)).at(0).slot, 1);
}

// "Rapid interruptions": the third reply begins while the guards of both slots run.
TEST(guard, after_two_interrupts_in_a_row_is_waited_for_exactly) {
    slot_scheduler s(2, guard);
    const auto reply = [&](duration asked, duration waits, int slot, duration interrupted) {
        s.request({.prompt = "Dear Anna"});
        auto given = s.take_grants(at(asked));
        if (waits > 0s) {
            EXPECT_TRUE(given.empty());
            EXPECT_EQ(next_grant(s), at(asked + waits));
            given = s.take_grants(at(asked + waits));
        }
        ASSERT_EQ(given.size(), 1u);
        EXPECT_EQ(given[0].slot, slot);
        EXPECT_EQ(given[0].guard_wait, waits);
        s.release(slot, at(interrupted), {.holds = "Dear Anna, hello"});
    };
    reply(0ms, 0ms, 0, 700ms);
    reply(750ms, 0ms, 1, 1250ms);
    reply(1300ms, 1400ms, 0, 2900ms);  // slot 0: 700 + 2000 = 2700
    reply(2950ms, 300ms, 1, 3400ms);   // slot 1: 1250 + 2000 = 3250
    reply(6000ms, 0ms, 1, 6100ms);     // slot 1 was used last, and both slots are ready
}

TEST(guard, that_is_changed_counts_for_slots_used_before_and_for_who_waits) {
    slot_scheduler s(1, guard);
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s));
    s.request();
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    s.set_guard(1500ms);
    EXPECT_TRUE(s.take_grants(at(1200ms)).empty());
    EXPECT_EQ(next_grant(s), at(2500ms));
    s.set_guard(3s);
    EXPECT_TRUE(s.take_grants(at(2600ms)).empty());
    EXPECT_EQ(next_grant(s), at(4s));
    s.set_guard(0s);
    const auto given = s.take_grants(at(3s));
    ASSERT_EQ(given.size(), 1u);
    EXPECT_EQ(given[0].guard_wait, 2s);
}

TEST(guard, of_a_slot_that_was_never_used_is_over) {
    slot_scheduler s(1, guard);
    const auto t = s.request();
    EXPECT_EQ(s.find_wait_reason(t, at(1s)).value().guard_left, 0s);
}

TEST(guard, of_a_ticket_that_still_waits_can_be_reported) {
    slot_scheduler s(1, guard);
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s));
    const auto t = s.request();
    s.take_grants(at(1s));
    EXPECT_EQ(s.guard_wait(t, at(1500ms)), 500ms);
    s.withdraw(t);
    EXPECT_EQ(s.guard_wait(t, at(2s)), 0s);
}

TEST(slot_that_was_not_wanted_any_more, is_as_it_was) {
    slot_scheduler s(2, guard);
    s.request();
    s.release(s.take_grants(at(0s)).at(0).slot, at(1s),
              {.server_state = maybe_busy, .holds = "Dear"});
    s.request();
    s.request();
    EXPECT_EQ(s.take_grants(at(3s)).size(), 2u);
    s.release(0, at(4s), {.has_run = false});
    s.release(1, at(4s), {.has_run = false});
    // Slot 0 may still be busy, so it is granted last. It has no new guard, because no request ran.
    s.request({.prompt = "Dear"});
    EXPECT_EQ(s.take_grants(at(4s)).at(0).slot, 1);
    s.request({.prompt = "Dear"});
    EXPECT_EQ(s.take_grants(at(4s)).at(0).slot, 0);
}

TEST(stuck_slot, is_used_again_once_it_is_idle) {
    slot_scheduler s(2, 0s);
    s.request();
    s.release(s.take_grants(at(0s)).at(0).slot, at(1s));
    s.set_server_state(0, busy);
    s.request();
    EXPECT_EQ(s.take_grants(at(1s)).at(0).slot, 1);
    s.request();
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
    EXPECT_FALSE(next_grant(s));
    s.set_server_state(0, server_slot_state::idle);
    EXPECT_EQ(next_grant(s), at(1s));
    EXPECT_EQ(s.take_grants(at(3s)).at(0).slot, 0);
}

TEST(stuck_slot, is_no_reason_to_wait_for_ever) {
    slot_scheduler s(2, guard);
    use_all(s, {1s, 2s});
    s.set_server_state(0, busy);
    s.set_server_state(1, busy);
    s.request();
    s.request();
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
    EXPECT_EQ(next_grant(s), at(3s));
    EXPECT_EQ(s.take_grants(at(3s)).at(0).slot, 0);
    EXPECT_EQ(s.take_grants(at(4s)).at(0).slot, 1);
}

TEST(stuck_slot, is_told_to_who_waits_for_another) {
    slot_scheduler s(2, guard);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s));
    s.set_server_state(0, busy);
    const auto t = s.request();
    EXPECT_TRUE(s.take_grants(at(9s)).empty());
    EXPECT_EQ(describe_wait(s.find_wait_reason(t, at(9s)).value()),
              "waits for a slot: 1 in use or promised, 1 stuck at the server, 0 waiting before it");
}

TEST(stuck_slot, does_not_count_as_guard_wait) {
    slot_scheduler s(2, guard);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s));
    s.set_server_state(0, busy);
    s.request();
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    s.release(1, at(8s));
    EXPECT_TRUE(s.take_grants(at(8s)).empty());
    EXPECT_EQ(s.take_grants(at(10s)).at(0).guard_wait, 2s);
}

}  // namespace
