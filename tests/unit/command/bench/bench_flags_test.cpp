#include "unit/command/arguments_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::command;
using testing::ElementsAre;
using testing::HasSubstr;

class bench_arguments : public arguments {
 protected:
    command_line bench(std::vector<std::string> args) {
        args.insert(args.begin(), "bench");
        return parse(std::move(args));
    }
};

TEST_F(bench_arguments, hold_eight_conversations_in_a_closed_loop_for_ten_seconds) {
    const auto c = bench({});
    ASSERT_TRUE(c.bench) << c.err;
    EXPECT_EQ(c.bench->concurrency, 8);
    EXPECT_FALSE(c.bench->load.rate);
    EXPECT_FALSE(c.bench->load.turns);
    EXPECT_EQ(c.bench->load.time, 10s);
    EXPECT_FALSE(c.bench->mock);
}

TEST_F(bench_arguments, bound_the_load_as_they_say) {
    const auto c = bench({"--rate", "2.5", "--arrivals", "even", "--turns", "40", "--concurrency",
                          "16", "--tts", "wpm=160"});
    ASSERT_TRUE(c.bench) << c.err;
    EXPECT_EQ(c.bench->load.rate, 2.5);
    EXPECT_EQ(c.bench->load.spread, arrival_distribution::even);
    EXPECT_EQ(c.bench->load.turns, 40);
    EXPECT_FALSE(c.bench->load.time);
    EXPECT_EQ(c.bench->concurrency, 16);
    EXPECT_EQ(c.bench->pace.words_per_minute, 160);
}

TEST_F(bench_arguments, report_how_users_speak) {
    const auto c = bench({"--partials", "250ms", "--eager", "300ms", "--revise", "0.3"});
    ASSERT_TRUE(c.bench) << c.err;
    EXPECT_EQ(c.bench->users.partials, 250ms);
    EXPECT_EQ(c.bench->users.eager, 300ms);
    EXPECT_EQ(c.bench->users.revise, 0.3);
}

TEST_F(bench_arguments, take_servers_and_the_configuration_as_replay_does) {
    const auto c = bench({"--server", "http://a:1", "--url", "http://b:1", "--pacing", "ahead",
                          "--reuse-guard", "0", "--placement", "round_robin"});
    ASSERT_TRUE(c.bench) << c.err;
    EXPECT_THAT(c.bench->service.servers, ElementsAre("http://a:1", "http://b:1"));
    EXPECT_EQ(c.bench->service.client.server.reuse_guard, 0s);
    EXPECT_EQ(c.bench->service.placement, tandem::placement::round_robin);
}

TEST_F(bench_arguments, that_follow_an_unknown_flag_may_be_its_value) {
    EXPECT_EQ(bench({"--foo", "3"}).err,
              "tandem bench: --foo is an unknown flag\nSee \"tandem bench --help\".");
    EXPECT_THAT(bench({"3"}).err, HasSubstr("3 is an unexpected argument"));
}

TEST_F(bench_arguments, search_the_number_of_callers_with_a_voice) {
    const auto c = bench({"--capacity"});
    ASSERT_TRUE(c.bench) << c.err;
    ASSERT_TRUE(c.bench->capacity);
    EXPECT_EQ(c.bench->capacity->limits.first_chunk, 1s);
    EXPECT_EQ(c.bench->capacity->limits.gap, 100ms);
    EXPECT_EQ(c.bench->capacity->step_time, 20s);
    EXPECT_EQ(c.bench->pace.words_per_minute, 170);
    EXPECT_FALSE(c.bench->load.time) << "steps end by their own time";
}

TEST_F(bench_arguments, set_the_limits_and_the_steps_of_a_search) {
    const auto c = bench({"--capacity", "--first-chunk-within", "1.5s", "--gap-within", "250ms",
                          "--duration", "40s", "--tts", "wpm=150"});
    ASSERT_TRUE(c.bench) << c.err;
    EXPECT_EQ(c.bench->capacity->limits.first_chunk, 1500ms);
    EXPECT_EQ(c.bench->capacity->limits.gap, 250ms);
    EXPECT_EQ(c.bench->capacity->step_time, 40s);
    EXPECT_EQ(c.bench->pace.words_per_minute, 150);
    EXPECT_FALSE(bench({"--duration", "40s"}).bench->capacity);
}

struct bench_refusal {
    std::string name;
    std::vector<std::string> args;
    std::string says;
};

class bench_refusals : public bench_arguments, public testing::WithParamInterface<bench_refusal> {};

TEST_P(bench_refusals, name_the_flag_and_its_values) {
    const auto c = bench(GetParam().args);
    EXPECT_EQ(c.status, 2);
    EXPECT_THAT(c.err, HasSubstr("tandem bench: " + GetParam().says));
    EXPECT_THAT(c.err, HasSubstr("See \"tandem bench --help\"."));
}

INSTANTIATE_TEST_SUITE_P(
    all, bench_refusals,
    testing::Values(
        bench_refusal{"no_rate", {"--rate", "fast"}, "--rate is fast; it must be a number from"},
        bench_refusal{"a_rate_that_is_no_number", {"--rate", "nan"}, "--rate is nan"},
        bench_refusal{"even_without_a_rate", {"--arrivals", "even"}, "--arrivals requires --rate"},
        bench_refusal{"odd_arrivals",
                      {"--rate", "1", "--arrivals", "odd"},
                      "--arrivals is odd; it must be poisson or even"},
        bench_refusal{"no_turns", {"--turns", "0"}, "--turns is 0; it must be a whole number"},
        bench_refusal{"no_time", {"--duration", "0"}, "--duration is 0; it must be longer than 0"},
        bench_refusal{"speed_without_a_mock",
                      {"--tokens-per-second", "9"},
                      "--tokens-per-second requires --mock"},
        bench_refusal{
            "two_servers_for_one", {"--mock", "--url", "http://a:1"}, "--mock cannot be combined"},
        bench_refusal{"a_mock_of_too_many_slots",
                      {"--mock", "--slots", "65"},
                      "--slots is 65; a mock server has at most 64"},
        bench_refusal{
            "prompts_twice", {"--prompts", "f", "--user", "x"}, "--prompts cannot be combined"},
        bench_refusal{"callers_to_be_found",
                      {"--capacity", "--concurrency", "8"},
                      "--capacity cannot be combined with --concurrency"},
        bench_refusal{"capacity_at_a_rate",
                      {"--capacity", "--rate", "1"},
                      "--capacity cannot be combined with --rate"},
        bench_refusal{"capacity_with_arrivals",
                      {"--capacity", "--rate", "1", "--arrivals", "even"},
                      "--capacity cannot be combined with --arrivals"},
        bench_refusal{"capacity_of_some_turns",
                      {"--capacity", "--turns", "9"},
                      "--capacity cannot be combined with --turns"},
        bench_refusal{"capacity_without_a_voice",
                      {"--capacity", "--tts", "none"},
                      "--capacity cannot be combined with --tts none"},
        bench_refusal{"no_step", {"--capacity", "--duration", "0"}, "--duration is 0"},
        bench_refusal{"no_first_chunk_limit",
                      {"--capacity", "--first-chunk-within", "soon"},
                      "--first-chunk-within is soon"},
        bench_refusal{
            "no_gap_limit", {"--capacity", "--gap-within", "soon"}, "--gap-within is soon"},
        bench_refusal{"a_first_chunk_limit_for_nothing",
                      {"--first-chunk-within", "1s"},
                      "--first-chunk-within requires --capacity"},
        bench_refusal{
            "a_gap_limit_for_nothing", {"--gap-within", "1s"}, "--gap-within requires --capacity"},
        bench_refusal{"an_argument_too_many", {"file"}, ""},
        bench_refusal{"an_unknown_flag", {"--conversations", "3"}, "--conversations"}),
    [](const auto& param) { return param.param.name; });

}  // namespace
