#include "doctor/doctor_report.hpp"
#include "doctor_facts_fixture.hpp"
#include "text/terminal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clocale>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace tandem::command;
using nlohmann::ordered_json;
using tandem::errc;
using tandem::testing::facts_of_fault;
using tandem::testing::good_facts;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

doctor_report good_report() {
    return make_doctor_report(good_facts());
}

doctor_report dead_report() {
    return make_doctor_report(facts_of_fault(errc::connect_failed, "nobody there; start it"));
}

std::vector<std::string> keys_of(const ordered_json& object) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.push_back(key);
    return keys;
}

TEST(doctor_object, keeps_its_keys) {
    const auto object = ordered_json::parse(doctor_json(good_report()));
    EXPECT_THAT(keys_of(object),
                ElementsAre("url", "good", "stopped", "checks", "measurements", "advice"));
    for (const auto& check : object["checks"])
        EXPECT_THAT(keys_of(check), ElementsAre("name", "status", "value", "message", "remedy"));
    EXPECT_THAT(keys_of(object["advice"]), ElementsAre("tandem", "llama_server", "command"));
    EXPECT_THAT(keys_of(object["advice"]["tandem"][0]),
                ElementsAre("name", "value", "current", "reason"));
}

TEST(doctor_object, has_measurements_with_their_units) {
    EXPECT_EQ(ordered_json::parse(doctor_json(good_report()))["measurements"].dump(),
              R"({"rounds":3,"requests":24,"slots":[0,1],"prompt_tokens":256,)"
              R"("round_trip_ms":0.5,"first_token_cold_ms":120.0,"first_token_warm_ms":12.0,)"
              R"("prompt_tokens_per_second":2500.0,"tokens_per_second":45.25,)"
              R"("cut_to_idle_ms":22.0,"tokens_after_cut":1,)"
              R"("cache_same_slot":{"cached_tokens":279,"evaluated_tokens":1},)"
              R"("cache_other_slot":{"cached_tokens":0,"evaluated_tokens":281},)"
              R"("cache_prefilled_slot":{"cached_tokens":281,"evaluated_tokens":1},)"
              R"("cache_first_slot_again":{"cached_tokens":280,"evaluated_tokens":3},)"
              R"("cache_after_change":{"cached_tokens":283,"evaluated_tokens":1},)"
              R"("first_token_after_change_ms":14.0})");
}

TEST(doctor_object, is_documented) {
    std::ifstream file(TANDEM_SOURCE_DIR "/docs/doctor.md");
    const std::string page(std::istreambuf_iterator<char>(file), {});
    const auto object = ordered_json::parse(doctor_json(good_report()));
    auto keys = keys_of(object);
    for (const auto& key : keys_of(object["measurements"])) keys.push_back(key);
    for (const auto& key : keys) EXPECT_THAT(page, HasSubstr("`" + key + "`"));
}

TEST(doctor_object, has_null_for_what_is_not_known) {
    const auto object = ordered_json::parse(doctor_json(dead_report()));
    EXPECT_EQ(object["good"], false);
    for (const char* name : {"round_trip_ms", "cut_to_idle_ms", "tokens_after_cut",
                             "cache_same_slot", "tokens_per_second"})
        EXPECT_TRUE(object["measurements"].at(name).is_null()) << name;
}

TEST(doctor_object, has_values_for_programs) {
    const auto object = ordered_json::parse(doctor_json(good_report()));
    const auto value = [&](const char* name) {
        for (const auto& check : object["checks"])
            if (check["name"] == name) return check["value"];
        return ordered_json();
    };
    EXPECT_EQ(value("slots"), 2);
    EXPECT_EQ(value("build"), "b11669-Debian");
    EXPECT_EQ(value("first_token"), 120.0);
}

TEST(doctor_object, is_one_line) {
    EXPECT_THAT(doctor_json(good_report()), EndsWith("}\n"));
    EXPECT_THAT(doctor_json(good_report()).substr(0, 1000), Not(HasSubstr("\n")));
}

class doctor_screen_of : public testing::Test {
 protected:
    void SetUp() override { ASSERT_TRUE(std::setlocale(LC_CTYPE, "C.UTF-8")); }
};

TEST_F(doctor_screen_of, a_good_server) {
    EXPECT_EQ(format_doctor_report({}, good_report()),
              R"(tandem doctor  http://127.0.0.1:8080

Server
  ok      reachable     http://127.0.0.1:8080 answers in 0.5 ms
  ok      api key       not required
  ok      model         talk.gguf
  ok      build         b11669-Debian, known to handle cuts
  note    build fault   a request that waits for its slot is processed after its
                        client disconnects, while other slots stream (#13262)
                        → let only tandem use the server: it sends no request to
                        a slot in use
  ok      reuse guard   0s, as this build needs none
  ok      slots         2
  ok      callers       about 17 at a time at this speed, if its slots do not
                        slow each other down
  ok      context       8192 tokens per slot, about 40 minutes of talk
  ok      chat template works
  ok      tool calls    begin with <tool_call>
  ok      thinking      not in the chat template
  ok      /slots        answers
  ok      other clients none active

Measured
  ok      requests      24 answered, in 3 rounds on slots 0 and 1
  ok      first token   120 ms with 256 tokens to evaluate, 12 ms with one
  ok      speed         45.2 tokens/s, prompts 2500 tokens/s
  ok      cut           idle after 22 ms; 1 token after the cut
  ok      same slot     after a cut, 1 of 280 tokens evaluated
  ok      other slot    without prefill, 281 of 281 tokens evaluated
  ok      prefilled     the other slot, 1 of 282 tokens evaluated
  ok      pinned slots  each keeps its cache while another one is used
  ok      host memory   brings conversations back into a slot: 1 of 284 tokens
                        evaluated, first token after 14 ms

Advised for tandem
  --slots 2             as now; one continues while the other finishes its cut
  --reuse-guard 0s      as now; this build needs no wait after a cut
  --pacing auto         as now; generates ahead of the voice

Advised for llama-server, in addition to your other flags
  --parallel 2          as now; a slot with its own cache for each caller
  --ctx-size 16384      as now; 8192 tokens for each of 2 slots

  llama-server -m /models/talk.gguf --parallel 2 --ctx-size 16384

Good for a bot: 1 to note, 22 ok
)");
}

TEST_F(doctor_screen_of, a_server_that_is_not_there) {
    EXPECT_EQ(format_doctor_report({}, dead_report()),
              R"(tandem doctor  http://127.0.0.1:8080

Server
  bad     reachable     nobody there
                        → start it

A bot would break: 1 bad
)");
}

TEST_F(doctor_screen_of, a_run_that_was_stopped) {
    auto facts = good_facts();
    facts.stopped = true;
    EXPECT_THAT(format_doctor_report({}, make_doctor_report(facts)),
                HasSubstr("\nStopped before all checks were done: "));
    facts = {};
    facts.stopped = true;
    EXPECT_THAT(format_doctor_report({}, make_doctor_report(facts)),
                EndsWith("\nStopped before all checks were done\n"));
}

TEST_F(doctor_screen_of, anything_stays_inside_the_width_but_for_the_command) {
    auto facts = good_facts();
    facts.measured.value.median.first_slot_again = cache_usage{0, 283};
    for (const int width : {60, 80, 120}) {
        std::istringstream lines(format_doctor_report({.width = width}, make_doctor_report(facts)));
        for (std::string line; std::getline(lines, line);)
            EXPECT_TRUE(count_columns(line) <= width || line.starts_with("  llama-server -m"))
                << line;
    }
}

TEST_F(doctor_screen_of, colours_if_they_are_wanted_says_the_same) {
    const auto text = format_doctor_report({.color = true}, good_report());
    EXPECT_THAT(text, HasSubstr("\x1b[32m  ok      \x1b[0mreachable"));
    EXPECT_THAT(format_doctor_report({}, good_report()), Not(HasSubstr("\x1b")));
}

TEST_F(doctor_screen_of, hostile_words_cannot_steer_the_terminal) {
    auto facts = good_facts();
    facts.props.value.model = "/m/\x1b]0;x\x07";
    facts.props.value.build_info = "b\x1b[2J";
    EXPECT_THAT(format_doctor_report({}, make_doctor_report(facts)), Not(HasSubstr("\x1b")));
}

}  // namespace
