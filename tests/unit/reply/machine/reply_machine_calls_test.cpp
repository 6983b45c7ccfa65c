// Replies that end with tool calls.

#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::finish_reason;
using tandem::tool_call;
using tandem::test::machine_driver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string open = "<call>";
const tool_call time_call{.id = "7", .name = "get_time", .arguments = "{}"};

class calling_reply : public testing::Test {
 protected:
    void SetUp() override {
        d.ask();
        d.start({.prompt = {.text = "P"}, .call_mark = open});
        d.grant(0);
        d.wants();
    }
    /// Generates a sentence and a call. The server then parses the reply.
    void generate_call() {
        d.tokens("One", " moment", ".", open, "x");
        d.final();
    }

    machine_driver d;
};

TEST_F(calling_reply, speaks_the_text_before_the_call_at_once_and_generates_the_call_uncut) {
    d.tokens("One", " moment", ".", "\n", open);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'One moment.\n' end"));
    d.tokens("x. ", "Y. ");
    EXPECT_THAT(d.wants(), IsEmpty());
    EXPECT_TRUE(d.machine.text().ends_with("x. Y. "));
}

TEST_F(calling_reply, ends_the_text_before_a_call_if_no_sentence_ends) {
    d.tokens("Let", " me", " see", open);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Let me see' end"));
}

TEST_F(calling_reply, lets_the_server_parse_the_whole_text_on_the_slot_that_holds_it) {
    d.tokens("One", " moment", ".", open, "x");
    d.wants();
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("parse 'One moment.<call>x' on 0"));
}

TEST_F(calling_reply, reports_its_calls_while_the_text_is_spoken_and_ends_with_them) {
    generate_call();
    d.wants();
    EXPECT_FALSE(d.machine.get_called_functions());
    d.parsed({time_call});
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "call get_time"));
    ASSERT_TRUE(d.machine.get_called_functions());
    EXPECT_THAT(d.machine.get_called_functions()->calls, ElementsAre(time_call));
    EXPECT_EQ(d.machine.get_called_functions()->after->seq, 0U);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("end tool_calls"));
    EXPECT_THAT(d.machine.result().calls, ElementsAre(time_call));
    EXPECT_EQ(d.machine.result().text, "One moment.");
    EXPECT_EQ(d.machine.result().unspoken_text, "");
}

TEST_F(calling_reply, with_lookahead_ends_while_its_last_chunk_is_spoken) {
    auto rules = machine_driver::default_rules();
    rules.lookahead = 2;
    machine_driver r(rules);
    r.ask();
    r.start({.prompt = {.text = "P"}, .call_mark = open});
    r.grant(0);
    r.tokens("One", " moment", ".", open, "x");
    r.final();
    r.parsed({time_call});
    r.wants();
    r.ask();
    EXPECT_THAT(r.wants(), ElementsAre("end tool_calls"));
}

TEST_F(calling_reply, may_consist_of_calls_only) {
    d.tokens("\n", open, "x");
    d.final();
    d.parsed({time_call, time_call});
    d.wants();
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::tool_calls);
    EXPECT_FALSE(d.machine.get_called_functions()->after);
    EXPECT_THAT(d.handed_over, IsEmpty());
}

TEST_F(calling_reply, does_not_wait_for_the_voice_before_it_continues_a_call) {
    auto rules = machine_driver::default_rules();
    rules.retry_policy.retries = 3;
    machine_driver r(rules);
    r.ask();
    r.start({.prompt = {.text = "P"}, .call_mark = open});
    r.grant(0);
    r.tokens("One", " moment", ".", open);
    r.fail(errc::stream_incomplete);
    r.found();
    r.checked("POne moment.<call>");
    r.wants();
    EXPECT_TRUE(r.machine.is_waiting_for_slot()) << "although chunk 0 is spoken";
}

TEST_F(calling_reply, is_an_ordinary_reply_if_no_call_comes) {
    d.tokens("Hello", ".");
    d.final();
    d.wants();
    ASSERT_TRUE(d.machine.get_called_functions());
    EXPECT_THAT(d.machine.get_called_functions()->calls, IsEmpty());
    EXPECT_EQ(d.handed_over.at(0).text, "Hello.");
}

TEST_F(calling_reply, drops_a_call_that_the_token_limit_cut_off) {
    d.tokens("One", " moment", ".", open, "x");
    d.final(tandem::wire::stop_type::limit);
    d.ask();
    d.wants();
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::length);
    EXPECT_EQ(d.machine.result().unspoken_text, "<call>x");
}

TEST_F(calling_reply, lets_the_server_generate_calls_that_are_invalid) {
    generate_call();
    d.wants();
    d.parsed({});
    EXPECT_THAT(d.wants(), ElementsAre("force on 0"));
    d.parsed({time_call});
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "call get_time"));
}

TEST(a_mark, in_prose_begins_no_call_that_the_server_generates) {
    for (const bool is_call : {true, false}) {
        machine_driver r;
        r.ask();
        r.start(
            {.prompt = {.text = "P"}, .call_mark = open, .call_lead = open + "\n{\"name\": \""});
        r.grant(0);
        r.tokens("One", ".", open, is_call ? " {now}" : " begins a call.");
        r.final();
        r.wants();
        r.parsed({});
        if (is_call) {
            EXPECT_THAT(r.wants(), ElementsAre("force on 0"));
            continue;
        }
        r.ask();
        EXPECT_THAT(r.wants(), ElementsAre("close", "release 0", "end invalid_tool_call"));
        EXPECT_EQ(r.machine.result().unspoken_text, "<call> begins a call.");
    }
}

TEST_F(calling_reply, fails_if_the_server_generates_no_call_either) {
    generate_call();
    d.parsed({});
    d.parsed({});
    d.ask();
    d.wants();
    EXPECT_EQ(d.machine.result().error, errc::invalid_tool_call);
    EXPECT_EQ(d.machine.result().unspoken_text, "<call>x");
    EXPECT_EQ(d.machine.result().text, "One moment.");
}

class refused_call : public calling_reply, public testing::WithParamInterface<errc> {};

TEST_P(refused_call, fails_with_the_reason_of_the_server_and_is_not_parsed_again) {
    generate_call();
    d.wants();
    d.fail(GetParam());
    EXPECT_THAT(d.wants(), ElementsAre("force on 0"));
    d.fail(GetParam());
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end invalid_tool_call"));
    EXPECT_EQ(d.machine.result().error, errc::invalid_tool_call);
    EXPECT_THAT(d.machine.result().diagnostics.client_message, HasSubstr("it failed"));
}
INSTANTIATE_TEST_SUITE_P(errors, refused_call,
                         testing::Values(errc::bad_request, errc::server_error,
                                         errc::invalid_tool_call, errc::bad_response));

TEST_F(calling_reply, fails_if_a_call_has_no_end) {
    d.tokens("One", ".", open);
    d.token(std::string(tandem::text::max_call_bytes, 'x'));
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'One.' end", "close", "release 0"));
    d.ask();
    d.wants();
    EXPECT_EQ(d.machine.result().error, errc::invalid_tool_call);
}

TEST_F(calling_reply, fails_if_its_last_token_makes_a_call_too_long) {
    d.tokens("One", ".", open);
    tandem::wire::token_event last;
    last.what = tandem::wire::token_event::kind::final;
    last.content = std::string(tandem::text::max_call_bytes, 'x');
    last.stop = tandem::wire::stop_type::eos;
    d.machine.on_event_read(d.now, last);
    d.ask();
    d.wants();
    EXPECT_EQ(d.machine.result().error, errc::invalid_tool_call);
}

TEST_F(calling_reply, hands_out_no_call_once_it_is_interrupted) {
    generate_call();
    d.interrupt();
    d.parsed({time_call});
    d.wants();
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::interrupted);
    EXPECT_THAT(d.machine.result().calls, IsEmpty());
}

TEST_F(calling_reply, keeps_its_calls_if_it_is_interrupted_after_them) {
    generate_call();
    d.parsed({time_call});
    d.interrupt();
    d.wants();
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::interrupted);
    EXPECT_THAT(d.machine.result().calls, ElementsAre(time_call));
}

TEST_F(calling_reply, is_parsed_again_after_its_server_failed) {
    auto rules = machine_driver::default_rules();
    rules.retry_policy.retries = 3;
    machine_driver r(rules);
    r.ask();
    r.start({.prompt = {.text = "P"}, .call_mark = open});
    r.grant(0);
    r.tokens("One", ".", open, "x");
    r.final();
    r.wants();
    r.fail(errc::stream_incomplete);
    EXPECT_THAT(r.wants(), ElementsAre("close", "release 0", "lost: stream_incomplete", "server?"));
    r.found();
    r.checked("POne.<call>x");
    r.wants();
    r.grant(1);
    EXPECT_THAT(r.wants(), ElementsAre("parse 'One.<call>x' on 1"));
    r.parsed({time_call});
    r.ask();
    r.wants();
    EXPECT_EQ(r.machine.result().finish_reason, finish_reason::tool_calls);
}

TEST_F(calling_reply, that_was_interrupted_while_its_calls_were_parsed_lets_them_be_parsed_again) {
    generate_call();
    d.interrupt();
    d.wants();
    machine_driver resumed;
    resumed.ask();
    resumed.start({.rest = d.machine.take_remainder(), .spoken = "One moment."});
    resumed.grant(0);
    EXPECT_THAT(resumed.wants(), testing::Contains("parse 'One moment.<call>x' on 0"));
    resumed.parsed({time_call});
    EXPECT_THAT(resumed.machine.result().calls, ElementsAre(time_call));
}

TEST_F(calling_reply, that_had_no_mark_finds_its_calls_once_it_is_resumed_with_one) {
    machine_driver reader;
    reader.begin();
    reader.tokens("One", " mo");
    reader.interrupt();
    reader.wants();
    machine_driver resumed;
    resumed.ask();
    resumed.start({.rest = reader.machine.take_remainder(), .call_mark = open});
    resumed.grant(0);
    resumed.tokens("ment", ".", open, "x");
    EXPECT_THAT(resumed.wants(), testing::Contains("chunk 0 'One moment.' end"));
}

TEST_F(calling_reply, drops_further_calls_if_it_may_have_one_only) {
    auto rules = machine_driver::default_rules();
    rules.may_call_several = false;
    machine_driver r(rules);
    r.ask();
    r.start({.prompt = {.text = "P"}, .call_mark = open});
    r.grant(0);
    r.tokens(open, "x");
    r.final();
    r.parsed({time_call, time_call});
    r.wants();
    EXPECT_THAT(r.machine.result().calls, ElementsAre(time_call));
}

// gpt-oss writes calls to a channel that the reply reads as reasoning.
TEST_F(calling_reply, may_have_its_call_at_the_end_of_its_reasoning) {
    auto rules = machine_driver::default_rules();
    rules.reasoning_tags = {{"<|channel|>analysis", "<|channel|>final<|message|>"}};
    machine_driver r(rules);
    r.ask();
    r.start({.prompt = {.text = "P"}, .call_mark = "to=functions."});
    r.grant(0);
    r.wants();
    const std::string thoughts = "<|message|>Noon?<|start|>assistant<|channel|>";
    r.tokens("<|channel|>analysis", thoughts, "commentary to=functions.now<|message|>{}");
    r.final();
    EXPECT_THAT(r.wants(), ElementsAre(HasSubstr("parse")));
    r.parsed({time_call});
    r.wants();
    EXPECT_EQ(r.machine.result().finish_reason, finish_reason::tool_calls);
    EXPECT_THAT(r.machine.result().reasoning, testing::Not(HasSubstr("to=functions")));
}

TEST_F(calling_reply, has_no_call_if_its_reasoning_only_mentions_one) {
    auto rules = machine_driver::default_rules();
    rules.reasoning_tags = {{"<think>", "</think>"}};
    machine_driver r(rules);
    r.ask();
    r.start({.prompt = {.text = "P"}, .call_mark = "to=functions."});
    r.grant(0);
    r.tokens("<think>", "Maybe to=functions.now, but no.", "</think>", "Noon.");
    r.final();
    r.wants();
    EXPECT_EQ(r.handed_over.at(0).text, "Noon.");
    EXPECT_THAT(r.machine.get_called_functions()->calls, IsEmpty());
}

// --- JSON replies that may be, or must be, a call

class reply_of_call_json : public testing::Test {
 protected:
    machine_driver begin(bool must_call) {
        auto rules = machine_driver::default_rules();
        rules.pacing = tandem::detail::uncut;
        rules.uses_call_schema = true;
        rules.must_call = must_call;
        machine_driver d(rules);
        d.begin();
        d.tokens("{\"a. ", "B", ".\"", ":1}");
        return d;
    }
};

TEST_F(reply_of_call_json, speaks_nothing_before_it_is_known_to_be_an_answer) {
    auto d = begin(false);
    EXPECT_THAT(d.wants(), IsEmpty());
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre(HasSubstr("parse")));
    d.parsed({});
    d.wants();
    ASSERT_FALSE(d.handed_over.empty());
    d.go_on(0);
    d.ask();
    d.wants();
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::eos);
    EXPECT_EQ(d.machine.result().text + d.machine.result().unspoken_text, "{\"a. B.\":1}");
}

TEST_F(reply_of_call_json, ends_with_the_call_that_it_is) {
    auto d = begin(true);
    d.final();
    d.parsed({time_call});
    d.wants();
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::tool_calls);
    EXPECT_EQ(d.machine.result().text, "");
}

TEST(required_call, is_handed_over_to_a_reader_as_it_is_generated) {
    auto rules = machine_driver::default_rules();
    rules.pacing = tandem::detail::uncut;
    rules.uses_call_schema = rules.must_call = rules.hands_over_reasoning = true;
    machine_driver d(rules);
    d.begin();
    std::string call;
    for (const char* token :
         {R"({"name":"get_time",)", R"("parameters":)", R"({"zo)", "ne", R"(":1)", "}}"}) {
        d.tokens(token);
        d.wants();
        const auto& piece = d.handed_over.back();
        EXPECT_EQ(piece.text, "");
        call += piece.called + piece.arguments + "|";
        d.go_on(piece.id.seq);
        d.ask();
    }
    EXPECT_EQ(call, R"(||get_time{"zo|ne|":1|}|)");
}

TEST_F(reply_of_call_json, fails_if_it_must_be_a_call_and_is_none) {
    auto d = begin(true);
    d.final();
    d.parsed({});
    d.ask();
    d.wants();
    EXPECT_EQ(d.machine.result().error, errc::invalid_tool_call);
}

TEST_F(reply_of_call_json, that_its_token_limit_cuts_off_is_text_only_if_it_may_be_an_answer) {
    for (const bool must_call : {false, true}) {
        auto d = begin(must_call);
        d.final(tandem::wire::stop_type::limit);
        d.wants();
        EXPECT_EQ(d.handed_over.empty(), must_call);
    }
}

TEST_F(calling_reply, reports_its_failure_only_at_its_end) {
    generate_call();
    d.parsed({});
    d.parsed({});
    d.wants();
    EXPECT_FALSE(d.machine.get_called_functions()) << "the chunk before it is spoken";
    d.ask();
    d.wants();
    ASSERT_TRUE(d.machine.get_called_functions());
    EXPECT_EQ(d.machine.result().error, errc::invalid_tool_call);
}

TEST_F(calling_reply, that_is_resumed_speaks_the_rest_and_calls_nothing_again) {
    generate_call();
    d.parsed({time_call});
    d.interrupt();
    d.wants();
    auto rest = d.machine.take_remainder();
    rest.unspoken = "moment.";
    machine_driver resumed;
    resumed.ask();
    resumed.start({.rest = std::move(rest), .spoken = "One "});
    EXPECT_THAT(resumed.wants(), ElementsAre("chunk 0 'moment.' end"));
    resumed.ask();
    EXPECT_THAT(resumed.wants(), ElementsAre("end eos"));
}

}  // namespace
