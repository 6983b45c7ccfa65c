#include "doctor/doctor_advice.hpp"

#include "doctor_facts_fixture.hpp"

#include "tandem/config_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace tandem::command;
using namespace std::chrono_literals;
using tandem::testing::facts_of_fault;
using tandem::testing::good_facts;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

advised_setting setting(const std::vector<advised_setting>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &advised_setting::name);
    return found == all.end() ? advised_setting{} : *found;
}

TEST(doctor_advice, leaves_a_good_server_as_it_is) {
    const auto advice = make_advice(good_facts());
    for (const auto& s : advice.llama_server) EXPECT_EQ(s.value, s.current) << s.name;
    EXPECT_EQ(advice.command, "llama-server -m /models/talk.gguf --parallel 2 --ctx-size 16384");
}

TEST(doctor_advice, is_what_tandem_takes) {
    for (const char* build : {"b11669", "b7000", ""}) {
        auto facts = good_facts();
        facts.props.value.build_info = build;
        tandem::config c;
        for (const auto& s : make_advice(facts).tandem)
            EXPECT_EQ(tandem::set_field(c, s.name, s.value), std::nullopt) << s.name;
        EXPECT_THAT(tandem::check(c), IsEmpty());
    }
}

TEST(doctor_advice, gives_a_reason_for_each_line) {
    const auto advice = make_advice(good_facts());
    for (const auto* list : {&advice.tandem, &advice.llama_server})
        for (const auto& s : *list) EXPECT_FALSE(s.reason.empty()) << s.name;
}

TEST(doctor_advice, gives_one_slot_a_second_with_a_context_of_its_own) {
    auto facts = good_facts();
    facts.props.value.total_slots = 1;
    const auto advice = make_advice(facts);
    const auto parallel = setting(advice.llama_server, "--parallel");
    EXPECT_EQ(parallel.current, "1");
    EXPECT_EQ(parallel.value, "2");
    EXPECT_EQ(setting(advice.llama_server, "--ctx-size").current, "8192");
    EXPECT_EQ(setting(advice.llama_server, "--ctx-size").value, "16384");
}

TEST(doctor_advice, gives_slots_that_share_a_cache_their_own) {
    auto facts = good_facts();
    facts.props.value.total_slots = 4;
    facts.measured.value.median.first_slot_again = cache_usage{0, 283};
    const auto advice = make_advice(facts);
    EXPECT_EQ(setting(advice.llama_server, "--parallel").current, "");
    EXPECT_EQ(setting(advice.llama_server, "--parallel").value, "2");
    // Slots that share a cache all report the whole context, so their sizes are not added.
    EXPECT_EQ(setting(advice.llama_server, "--ctx-size").current, "8192");
}

TEST(doctor_advice, takes_no_slots_away) {
    auto facts = good_facts();
    facts.props.value.total_slots = 6;
    EXPECT_EQ(setting(make_advice(facts).llama_server, "--parallel").value, "6");
}

TEST(doctor_advice, keeps_the_next_sentences_ready) {
    auto facts = good_facts();
    for (const char* pacing : {"strict", "warm", "auto"}) {
        facts.settings.pacing = pacing;
        EXPECT_EQ(setting(make_advice(facts).tandem, "pacing").value, "auto");
    }
}

TEST(doctor_advice, leaves_all_slots_of_the_server_to_tandem) {
    auto facts = good_facts();
    facts.props.value.total_slots = 6;
    facts.settings.slots.reset();
    const auto advice = make_advice(facts);
    const auto slots = setting(advice.tandem, "slots");
    EXPECT_EQ(slots.value, "0");
    EXPECT_EQ(slots.current, "0");
    EXPECT_THAT(advice.command, HasSubstr(" --parallel 6 "));
}

TEST(doctor_advice, reports_how_many_slots_a_caller_takes) {
    auto facts = good_facts();
    EXPECT_EQ(setting(make_advice(facts).llama_server, "--parallel").reason,
              "a slot with its own cache for each caller");
    facts.settings.reuse_guard = 2s;
    EXPECT_EQ(setting(make_advice(facts).llama_server, "--parallel").reason,
              "two slots with caches of their own for each caller");
}

TEST(doctor_advice, leaves_other_kinds_of_pacing_alone) {
    auto facts = good_facts();
    for (const char* pacing : {"ahead", "stream"}) {
        facts.settings.pacing = pacing;
        EXPECT_EQ(setting(make_advice(facts).tandem, "pacing").value, pacing);
    }
}

TEST(doctor_advice, takes_the_guard_that_suits_the_build) {
    auto facts = good_facts();
    facts.settings.reuse_guard = 2s;
    EXPECT_EQ(setting(make_advice(facts).tandem, "reuse_guard").value, "auto");
    facts.props.value.build_info = "b8000";
    EXPECT_EQ(setting(make_advice(facts).tandem, "reuse_guard").value, "2s");
}

TEST(doctor_advice, enlarges_a_short_context) {
    auto facts = good_facts();
    facts.props.value.context_per_slot = 1024;
    const auto context = setting(make_advice(facts).llama_server, "--ctx-size");
    EXPECT_EQ(context.current, "2048");
    EXPECT_EQ(context.value, "8192");
}

TEST(doctor_advice, has_smaller_batches_where_prompts_take_long) {
    auto facts = good_facts();
    facts.measured.value.median.prompt_tokens_per_second = 300;
    EXPECT_THAT(make_advice(facts).command, EndsWith(" --batch-size 512"));
}

TEST(doctor_advice, names_the_file_of_a_model_with_an_alias) {
    auto facts = good_facts();
    facts.props.value.model = "talk";
    EXPECT_THAT(make_advice(facts).command, HasSubstr("-m /models/talk.gguf "));
}

TEST(doctor_advice, leaves_a_place_for_a_file_that_the_server_does_not_tell) {
    auto facts = good_facts();
    facts.props.value.model_path = "";
    EXPECT_THAT(make_advice(facts).command, HasSubstr("-m MODEL.gguf "));
}

TEST(doctor_advice, quotes_what_a_shell_would_carry_out) {
    auto facts = good_facts();
    facts.props.value.model_path = "/models/$(rm x)'s.gguf";
    EXPECT_THAT(make_advice(facts).command, HasSubstr(R"(-m '/models/$(rm x)'\''s.gguf' )"));
}

TEST(doctor_advice, is_empty_if_the_server_does_not_report_what_it_is) {
    const auto advice = make_advice(facts_of_fault(tandem::errc::connect_failed, "no"));
    EXPECT_THAT(advice.tandem, IsEmpty());
    EXPECT_THAT(advice.llama_server, IsEmpty());
    EXPECT_EQ(advice.command, "");
}

}  // namespace
