// Whether one more session would receive its speech in time.

#include "slots/speech_load.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::time_point;
using tandem::slots::speech_load;
using tandem::test::at;

/// Callers who hear a chunk of 10 tokens in 3 s, and immediately ask again.
class a_speech_load : public testing::Test {
 protected:
    void begin(int caller) { load.on_session_started(name(caller), now); }
    void end(int caller) { load.on_session_ended(name(caller), now); }
    void pass(duration time) { now += time; }
    /// All callers wait for `wait`, hear a reply of one chunk, and then pause.
    void talk(int callers, duration wait = {}, duration pause = {}) {
        for (int c = 0; c < callers; ++c) load.on_turn_started(name(c), now);
        pass(wait);
        for (int c = 0; c < callers; ++c) load.on_chunk_received(name(c), 10, now);
        pass(3s);
        for (int c = 0; c < callers; ++c) load.on_chunk_spoken(name(c), now);
        for (int c = 0; c < callers; ++c) load.on_turn_ended(name(c), 0, now);
        pass(pause);
    }
    void begin_and_talk(int callers, duration wait = {}, duration pause = {}) {
        for (int c = 0; c < callers; ++c) begin(c);
        for (int turn = 0; turn < 20; ++turn) talk(callers, wait, pause);
    }
    void make(double tokens_per_s, duration late = {}) {
        load.on_servers_observed({{"one", tokens_per_s, late}}, now);
    }
    static std::string name(int caller) { return std::to_string(caller); }

    speech_load load;
    time_point now = at(0s);
};

TEST_F(a_speech_load, lets_in_everybody_before_anything_is_known) {
    make(10);
    EXPECT_FALSE(load.check_new_session(now));
    EXPECT_EQ(load.compute_load(now), 0);
}

TEST_F(a_speech_load, assumes_usual_voices_before_one_has_spoken) {
    for (int c = 0; c < 40; ++c) begin(c);
    EXPECT_FALSE(load.check_new_session(now)) << "the speed of the server is unknown";
    make(280);
    EXPECT_NEAR(load.compute_load(now), 0.5, 0.01);
    int admitted = 40;
    for (; !load.check_new_session(now) && admitted < 1000; ++admitted) begin(admitted);
    EXPECT_EQ(admitted, 76);
}

TEST_F(a_speech_load, lets_in_everybody_while_the_speed_of_a_server_is_unknown) {
    begin_and_talk(100);
    EXPECT_FALSE(load.check_new_session(now));
    load.on_servers_observed({{"one", 10.0, {}}, {"two", std::nullopt, {}}}, now);
    EXPECT_FALSE(load.check_new_session(now)) << "it may take all of them";
}

TEST_F(a_speech_load, is_what_listeners_need_of_what_the_servers_make) {
    begin_and_talk(48);
    make(320);
    EXPECT_NEAR(load.compute_load(now), 0.5, 0.01);
    load.on_servers_observed({{"one", 320.0, {}}, {"two", 320.0, {}}}, now);
    EXPECT_NEAR(load.compute_load(now), 0.25, 0.01);
}

TEST_F(a_speech_load, counts_pauses_and_not_waits_for_the_server) {
    begin_and_talk(48, 5s);
    make(320);
    EXPECT_NEAR(load.compute_load(now), 0.5, 0.01) << "who waits needs no less";
    speech_load other;
    std::swap(load, other);
    begin_and_talk(48, 0s, 3s);
    make(320);
    EXPECT_NEAR(load.compute_load(now), 0.25, 0.02) << "who speaks half of the time needs half";
}

TEST_F(a_speech_load, counts_sessions_whose_user_is_away_less_and_less) {
    begin_and_talk(96);
    make(320);
    ASSERT_NEAR(load.compute_load(now), 1, 0.01);
    pass(10min);
    make(320);
    EXPECT_LT(load.compute_load(now), 0.2);
}

TEST_F(a_speech_load, refuses_those_who_are_more_than_the_servers_can_speak_for) {
    begin_and_talk(90);
    make(320);
    int refused = 0;
    for (int caller = 90; caller < 120; ++caller) {
        if (load.check_new_session(now))
            ++refused;
        else
            begin(caller);
    }
    EXPECT_EQ(refused, 28);
}

TEST_F(a_speech_load, counts_a_chunk_as_soon_as_it_was_spoken) {
    begin(0);
    load.on_turn_started(name(0), now);
    for (int chunk = 0; chunk < 6; ++chunk) load.on_chunk_received(name(0), 10, now);
    for (int chunk = 0; chunk < 5; ++chunk) {
        pass(3s);
        load.on_chunk_spoken(name(0), now);
    }
    make(10.0 / 3);
    EXPECT_NEAR(load.compute_load(now), 1, 0.01);
}

TEST_F(a_speech_load, counts_what_an_interrupted_reply_had_generated) {
    for (int c = 0; c < 10; ++c) begin(c);
    for (int turn = 0; turn < 20; ++turn) {
        for (int c = 0; c < 10; ++c) {
            load.on_turn_started(name(c), now);
            load.on_chunk_received(name(c), 10, now);
        }
        pass(3s);
        for (int c = 0; c < 10; ++c) load.on_turn_ended(name(c), 5, now);
    }
    make(50);
    EXPECT_NEAR(load.compute_load(now), 1, 0.01);
}

TEST_F(a_speech_load, takes_nobody_for_a_voice_who_reads) {
    for (int c = 0; c < 2; ++c) begin(c);
    for (int turn = 0; turn < 20; ++turn)
        for (int c = 0; c < 2; ++c) {
            load.on_turn_started(name(c), now);
            load.on_chunk_received(name(c), 100, now);
            pass(1s);
            load.on_chunk_spoken(name(c), now);
            load.on_turn_ended(name(c), 0, now);
        }
    make(100);
    EXPECT_LE(load.compute_load(now), 0.25);
}

TEST_F(a_speech_load, lets_nobody_in_again_because_a_measurement_varies) {
    begin_and_talk(96);
    make(320);
    ASSERT_TRUE(load.check_new_session(now));
    for (int turn = 0; turn < 20; ++turn) talk(96);
    make(325);
    EXPECT_TRUE(load.check_new_session(now));
    for (int c = 88; c < 96; ++c) end(c);
    EXPECT_FALSE(load.check_new_session(now));
}

TEST_F(a_speech_load, tells_to_retry_when_as_many_as_are_too_many_may_have_ended) {
    begin_and_talk(96);
    make(320);
    const auto first = load.check_new_session(now);
    ASSERT_TRUE(first);
    EXPECT_GE(*first, speech_load::min_retry_after);
    make(320);
    for (int c = 200; c < 210; ++c) begin(c);
    EXPECT_GT(*load.check_new_session(now), *first);
    for (int c = 200; c < 209; ++c) {
        pass(100ms);
        end(c);
    }
    EXPECT_LT(*load.check_new_session(now), *first) << "sessions end quickly";
    for (int c = 300; c < 500; ++c) begin(c);
    EXPECT_LE(*load.check_new_session(now), speech_load::max_retry_after);
}

TEST_F(a_speech_load, refuses_sessions_while_the_server_is_late_for_other_reasons) {
    make(320, 5s);
    EXPECT_FALSE(load.check_new_session(now)) << "nobody listens";
    begin_and_talk(8);
    EXPECT_FALSE(load.check_new_session(now)) << "that was long ago";
    make(320, 5s);
    EXPECT_TRUE(load.check_new_session(now));
    load.on_servers_observed({{"one", 320.0, 5s}, {"two", 320.0, 0s}}, now);
    EXPECT_FALSE(load.check_new_session(now)) << "the other one is not";
}

TEST_F(a_speech_load, refuses_sessions_while_requests_lose_most_of_their_lead) {
    begin_and_talk(85);
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 0.5}}, now);
    EXPECT_FALSE(load.check_new_session(now));
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 0.8}}, now);
    EXPECT_TRUE(load.check_new_session(now));
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 0.8},
                              {.server = "two", .tokens_per_s = 20.0, .lead_loss = 0.3}},
                             now);
    EXPECT_FALSE(load.check_new_session(now)) << "the other one has slots to spare";
}

TEST_F(a_speech_load, lets_in_whoever_comes_far_from_the_limit_even_if_requests_lose_their_lead) {
    begin_and_talk(8);
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 1}}, now);
    EXPECT_FALSE(load.check_new_session(now));
    EXPECT_FALSE(load.check_new_session(now));
}

TEST_F(a_speech_load, lets_sessions_in_one_by_one_while_requests_lose_much_of_their_lead) {
    begin_and_talk(85);
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 0.5}}, now);
    EXPECT_FALSE(load.check_new_session(now));
    EXPECT_FALSE(load.check_new_session(now)) << "a session that does not begin changes nothing";
    begin(85);
    EXPECT_TRUE(load.check_new_session(now)) << "its effect on the leads is not seen yet";
    pass(5s);
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 0.5}}, now);
    EXPECT_FALSE(load.check_new_session(now));
    begin(86);
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 0.1}}, now);
    EXPECT_FALSE(load.check_new_session(now)) << "there is room for several";
}

TEST_F(a_speech_load, ignores_leads_that_were_lost_some_time_ago) {
    begin_and_talk(85);
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 0.8}}, now);
    pass(3s);
    EXPECT_FALSE(load.check_new_session(now));
}

TEST_F(a_speech_load, refuses_sessions_while_one_server_is_late_and_the_other_one_loses_leads) {
    begin_and_talk(85);
    load.on_servers_observed({{.server = "one", .tokens_per_s = 160.0, .late = 3s},
                              {.server = "two", .tokens_per_s = 160.0, .lead_loss = 0.8}},
                             now);
    EXPECT_TRUE(load.check_new_session(now));
}

TEST_F(a_speech_load, leaves_out_a_server_that_cannot_be_used) {
    begin_and_talk(96);
    load.on_servers_observed({{"one", 320.0, {}}, {"two", 320.0, {}}}, now);
    EXPECT_FALSE(load.check_new_session(now));
    make(320);
    EXPECT_TRUE(load.check_new_session(now));
    load.on_servers_observed({}, now);
    EXPECT_FALSE(load.check_new_session(now)) << "the turn has a better error";
}

TEST_F(a_speech_load, knows_a_speed_for_some_minutes) {
    begin_and_talk(96);
    make(320);
    load.on_servers_observed({{"one", std::nullopt, {}}}, now);
    EXPECT_TRUE(load.check_new_session(now));
    pass(20min);
    for (int turn = 0; turn < 20; ++turn) talk(96);
    EXPECT_FALSE(load.check_new_session(now));
}

TEST_F(a_speech_load, includes_the_listeners_of_other_processes) {
    begin_and_talk(48);
    make(320);
    ASSERT_FALSE(load.check_new_session(now));
    load.set_load_of_other_processes({.demand = 160, .sessions = 48});
    EXPECT_NEAR(load.compute_load(now), 1, 0.01);
    EXPECT_TRUE(load.check_new_session(now));
}

TEST_F(a_speech_load, is_reported_to_other_processes_without_theirs) {
    begin_and_talk(48);
    load.set_load_of_other_processes({.demand = 160, .sessions = 48, .new_sessions = 2});
    const auto here = load.make_report(now);
    EXPECT_NEAR(here.demand, 160, 2);
    EXPECT_EQ(here.sessions, 48);
    EXPECT_EQ(here.new_sessions, 0);
    begin(48);
    EXPECT_EQ(load.make_report(now).new_sessions, 1);
}

TEST_F(a_speech_load, assumes_the_pace_of_the_voices_elsewhere_until_one_has_spoken_here) {
    make(320);
    load.set_load_of_other_processes({.demand = 310, .sessions = 93});
    EXPECT_TRUE(load.check_new_session(now));
    load.set_load_of_other_processes({.demand = 100, .sessions = 30});
    EXPECT_FALSE(load.check_new_session(now));
}

TEST_F(a_speech_load, relies_on_the_average_speed_that_processes_have_observed) {
    begin_and_talk(48);
    load.set_load_of_other_processes({.supply = 640, .observers = 2});
    EXPECT_NEAR(load.compute_load(now), 0.5, 0.01);
    EXPECT_EQ(load.make_report(now).observers, 0);
    make(260);
    EXPECT_NEAR(load.compute_load(now), 160 / 300.0, 0.01);
    EXPECT_EQ(load.make_report(now).supply, 260);
    pass(10s);
    EXPECT_EQ(load.make_report(now).observers, 0) << "the servers may be others now";
}

TEST_F(a_speech_load, awaits_the_effect_of_a_session_that_began_elsewhere) {
    begin_and_talk(85);
    load.on_servers_observed({{.server = "one", .tokens_per_s = 320.0, .lead_loss = 0.5}}, now);
    ASSERT_FALSE(load.check_new_session(now));
    load.set_load_of_other_processes({.demand = 3, .sessions = 1, .new_sessions = 1});
    EXPECT_TRUE(load.check_new_session(now));
}

}  // namespace
