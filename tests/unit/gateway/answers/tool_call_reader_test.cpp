#include "gateway/answers/tool_call_reader.hpp"

#include "conversation/tool_call_json.hpp"
#include "gateway/answers/random_ids.hpp"
#include "gateway/sessions/generation_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const call_rules weather_rules{.functions = {"weather", "now"}, .id_seed = 3};

void add(text_and_calls&& more, text_and_calls& all) {
    all.text += more.text;
    for (auto& c : more.calls) all.calls.push_back(std::move(c));
    if (all.fault == call_fault::none) all.fault = more.fault;
}

text_and_calls read_calls(std::string_view text, const call_rules& r = weather_rules) {
    tool_call_reader reader(r);
    auto all = reader.feed(text);
    add(reader.finish(), all);
    EXPECT_EQ(reader.has_calls(), !all.calls.empty());
    return all;
}

/// Each call as its name followed by its arguments.
std::vector<std::string> names(const std::vector<tool_call>& calls) {
    std::vector<std::string> list;
    for (const auto& c : calls) list.push_back(c.name + c.arguments);
    return list;
}

TEST(tool_call_reader, finds_the_calls_of_each_family_of_models) {
    const struct {
        const char* text;
        std::vector<std::string> calls;
        const char* rest;
    } rows[] = {
        {"<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>", {"now{}"}, ""},
        {"Let me see.\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>\n"
         "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"a\": 1}}\n</tool_call>",
         {"now{}", "weather{\"a\": 1}"},
         "Let me see."},
        {"<tool_call>{\"name\":\"now\"}\n{\"name\":\"weather\"}</tool_call>",
         {"now{}", "weather{}"},
         ""},
        {"<tool_call>[{\"name\":\"now\"},{\"name\":\"weather\"}]</tool_call>",
         {"now{}", "weather{}"},
         ""},
        {"<tool_call>{\"name\":\"now\"}", {"now{}"}, ""},
        {"<tool_call>{\"name\":\"now\"}<tool_call>{\"name\":\"weather\"}",
         {"now{}", "weather{}"},
         ""},
        {"{\"name\": \"weather\", \"parameters\": {\"a\": 1}}", {"weather{\"a\": 1}"}, ""},
        {"\n {\"type\": \"function\", \"name\": \"now\", \"parameters\": {}}\n", {"now{}"}, ""},
        {"{\"name\":\"now\",\"parameters\":{}}; {\"name\":\"weather\",\"parameters\":{}}",
         {"now{}", "weather{}"},
         ""},
        {"<|python_tag|>{\"name\":\"now\",\"parameters\":{}}", {"now{}"}, ""},
        {"<|python_tag|>{\"name\":\"now\",\"parameters\":{}}; {\"name\":\"weather\"}",
         {"now{}", "weather{}"},
         ""},
        {"[TOOL_CALLS][{\"name\": \"now\", \"arguments\": {}}, {\"name\": \"weather\"}]",
         {"now{}", "weather{}"},
         ""},
        {"[TOOL_CALLS] [{\"name\": \"now\", \"arguments\": {}, \"id\": \"abcdefghi\"}]",
         {"now{}"},
         ""},
        {"[TOOL_CALLS]now[ARGS]{}[TOOL_CALLS]weather{\"a\":1}", {"now{}", "weather{\"a\":1}"}, ""},
        {"[TOOL_CALLS]now[CALL_ID]abc123def[ARGS]{}", {"now{}"}, ""},
        {"[{\"name\": \"now\", \"arguments\": {}}]", {"now{}"}, ""},
        {"<function=now>{}</function>", {"now{}"}, ""},
        {"<function=weather>{\"a\":1}</function><function=now>{}</function>",
         {"weather{\"a\":1}", "now{}"},
         ""},
        {"<tool_call>{\"name\":\"now\"}</tool_call> And now?", {"now{}"}, " And now?"},
        {"One moment.\n<tool_call>\n<function=weather>\n<parameter=city>\nBonn\n</parameter>\n"
         "</function>\n</tool_call>",
         {"weather{\"city\":\"Bonn\"}"},
         "One moment."},
        {"<tool_call>\n<function=now>\n</function>\n</tool_call>\n<tool_call><function=now>"
         "</function></tool_call>",
         {"now{}", "now{}"},
         ""},
        {"<tool_call>\n<function=now>\n</function>", {"now{}"}, ""},
        {"One moment.\n<function=now>\n</function>\n</tool_call>", {"now{}"}, "One moment."},
        {"<function=now>{}</function>\n</tool_call> So.", {"now{}"}, " So."},
        {"<function=now></function></tool_call>\n<function=now></function>\n</tool",
         {"now{}", "now{}"},
         ""},
        {"<function=now></function> </b>", {"now{}"}, " </b>"},
        {"<tool_call>\n<function=now>\n</function>\n<function=weather>\n<parameter=days>\n2\n"
         "</parameter>\n</function>\n</tool_call>",
         {"now{}", "weather{\"days\":2}"},
         ""},
        {"<function=weather>\n<parameter=days>\n2\n</parameter>\n</function>",
         {"weather{\"days\":2}"},
         ""},
        {"<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Bonn</arg_value>\n</tool_call>",
         {"weather{\"city\":\"Bonn\"}"},
         ""},
        {"<tool_call>now\n</tool_call>\n<tool_call>now</tool_call> So.",
         {"now{}", "now{}"},
         " So."},
        {"Well. <|tool_call>call:weather{city:<|\"|>Bonn<|\"|>,days:2}<tool_call|>",
         {"weather{\"city\":\"Bonn\",\"days\":2}"},
         "Well."},
        {"<|tool_call>call:now{}<tool_call|><|tool_call>call:now{}<tool_call|>",
         {"now{}", "now{}"},
         ""},
    };
    for (const auto& row : rows) {
        const auto all = read_calls(row.text);
        EXPECT_EQ(names(all.calls), row.calls) << row.text;
        EXPECT_EQ(all.text, row.rest) << row.text;
        EXPECT_EQ(all.fault, call_fault::none) << row.text;
    }
}

TEST(tool_call_reader, passes_on_as_text_what_is_no_call_and_says_why) {
    const struct {
        const char* text;
        call_fault fault;
    } rows[] = {
        {"", call_fault::none},
        {" \n ", call_fault::none},
        {"Hello there,\n a < b [1] <tool> [TOOL] <|python", call_fault::none},
        {"{\"answer\": 42}", call_fault::none},
        {"{}", call_fault::none},
        {"[1, 2]", call_fault::none},
        {"[[TOOL_CALLS", call_fault::none},
        {"{not JSON}", call_fault::none},
        {"{\"name\": \"now\", \"parameters\": {}} is a call.", call_fault::none},
        {"As JSON: {\"name\": \"now\", \"parameters\": {}}", call_fault::none},
        {"{\"name\": \"now\"", call_fault::none},
        {"{\"name\": \"later\", \"parameters\": {}}", call_fault::unknown_function},
        {"<tool_call>{\"name\":\"now\",\"arguments\":{\"a\":}}</tool_call>", call_fault::malformed},
        {"<tool_call>{\"name\":\"now\",\"arguments\":\"a\\\"b\"}</tool_call>",
         call_fault::malformed},
        {"<tool_call>now()</tool_call>", call_fault::malformed},
        {"<tool_call>{\"name\":\"later\"}</tool_call>", call_fault::unknown_function},
        {"<tool_call>{\"name\":\"now\",\"argu", call_fault::cut_off},
        {"<tool_call>", call_fault::cut_off},
        {"<|python_tag|>print('x')", call_fault::malformed},
        {"[TOOL_CALLS]later[ARGS]{}", call_fault::unknown_function},
        {"[TOOL_CALLS]now[ARGS]5", call_fault::cut_off},
        {"<function=now{}>", call_fault::malformed},
        {"<tool_call><function=now><parameter=a>5</function></tool_call>", call_fault::malformed},
        {"<tool_call><function=later></function></tool_call>", call_fault::unknown_function},
        {"<tool_call><function=now></function><function=later></function></tool_call>",
         call_fault::unknown_function},
        {"<tool_call><function=now></function><function=now></tool_call>", call_fault::malformed},
        {"So </tool_call>", call_fault::none},
        {"<tool_call><function=now><parameter=a>5", call_fault::cut_off},
        {"<tool_call>now<arg_key>a</arg_key></tool_call>", call_fault::malformed},
        {"<tool_call>now", call_fault::cut_off},
        {"<|tool_call>call:now{a:<|\"|>b}<tool_call|>", call_fault::malformed},
        {"<|tool_call>call:now{a:1", call_fault::cut_off},
    };
    for (const auto& row : rows) {
        const auto all = read_calls(row.text);
        EXPECT_EQ(all.text, row.text);
        EXPECT_EQ(all.fault, row.fault) << row.text;
        EXPECT_THAT(all.calls, IsEmpty()) << row.text;
    }
}

TEST(tool_call_reader, finds_a_call_behind_a_broken_one) {
    const std::string broken = "<tool_call>{\"name\":\"now\"";
    const auto all = read_calls(broken + "<tool_call>{\"name\":\"weather\"}</tool_call>");
    EXPECT_EQ(all.text, broken);
    EXPECT_THAT(names(all.calls), ElementsAre("weather{}"));
    EXPECT_EQ(all.fault, call_fault::malformed);
}

TEST(tool_call_reader, takes_marks_in_the_strings_of_arguments_for_text) {
    const auto all = read_calls(
        "<tool_call>{\"name\":\"now\",\"arguments\":{\"a\":\"</tool_call> \\\"}{[<tool_call>\"}}"
        "</tool_call>");
    EXPECT_THAT(names(all.calls), ElementsAre("now{\"a\":\"</tool_call> \\\"}{[<tool_call>\"}"));
    EXPECT_EQ(all.text, "");
}

TEST(tool_call_reader, gives_ids_from_the_seed_in_order) {
    const auto all = read_calls("<tool_call>{\"name\":\"now\"}{\"name\":\"now\"}</tool_call>");
    ASSERT_THAT(all.calls, SizeIs(2));
    EXPECT_EQ(all.calls[0].id, call_id(3, 0));
    EXPECT_EQ(all.calls[1].id, call_id(3, 1));
}

TEST(tool_call_reader, gives_out_text_and_calls_as_soon_as_they_are_known) {
    tool_call_reader reader(weather_rules);
    EXPECT_EQ(reader.feed("Let me").text, "Let me");
    EXPECT_EQ(reader.feed(" see. ").text, " see.");
    EXPECT_EQ(reader.feed("<").text, "");
    EXPECT_EQ(reader.feed("3").text, " <3");
    EXPECT_EQ(reader.feed("<tool_call>{\"name\":\"now\"").text, "");
    EXPECT_THAT(reader.feed("}").calls, SizeIs(1));
    EXPECT_EQ(reader.feed("</tool").text, "");
    EXPECT_EQ(reader.feed("_call>Done").text, "Done");
}

TEST(tool_call_reader, gives_out_json_that_is_no_call_with_its_first_key) {
    tool_call_reader reader(weather_rules);
    EXPECT_EQ(reader.feed("{\"answer").text, "");
    EXPECT_EQ(reader.feed("\"").text, "{\"answer\"");
    EXPECT_EQ(reader.feed(": 42").text, ": 42");

    tool_call_reader list(weather_rules);
    EXPECT_EQ(list.feed("[").text, "");
    EXPECT_EQ(list.feed("1").text, "[1");
}

TEST(tool_call_reader, waits_with_a_call_that_has_no_mark_for_the_end) {
    tool_call_reader reader(weather_rules);
    EXPECT_THAT(reader.feed("{\"name\":\"now\",\"parameters\":{}}\n").calls, IsEmpty());
    EXPECT_THAT(names(reader.finish().calls), ElementsAre("now{}"));
}

TEST(tool_call_reader, has_a_bound_of_what_it_holds_back) {
    tool_call_reader reader(weather_rules);
    const std::string start = "<tool_call>{\"name\":\"now\",\"arguments\":{\"a\":\"";
    const std::string filler(max_call_bytes - start.size(), 'x');
    EXPECT_EQ(reader.feed(start + filler).text, "");
    const auto over = reader.feed("y");
    EXPECT_EQ(over.text, start + filler + "y");
    EXPECT_EQ(over.fault, call_fault::too_long);
    EXPECT_EQ(reader.feed("\"}} and on").text, "\"}} and on");
}

TEST(tool_call_reader, has_a_bound_of_the_space_that_it_holds_back) {
    tool_call_reader reader(weather_rules);
    EXPECT_EQ(reader.feed(std::string(256, ' ')).text, "");
    EXPECT_EQ(reader.feed(" ").text, std::string(257, ' '));
}

TEST(tool_call_reader, says_nothing_more_when_it_has_the_calls_that_are_wanted) {
    auto one = weather_rules;
    one.max_calls = 1;
    tool_call_reader reader(one);
    EXPECT_FALSE(reader.is_full());
    const auto read_first = reader.feed(
        "<tool_call>{\"name\":\"now\"}</tool_call><tool_call>{\"name\":\"weather\"}</tool_call>x");
    EXPECT_THAT(names(read_first.calls), ElementsAre("now{}"));
    EXPECT_TRUE(reader.is_full());
    EXPECT_EQ(reader.feed("more").text, "");
    EXPECT_EQ(reader.finish().text, "");
    EXPECT_THAT(names(read_calls("[{\"name\":\"now\"},{\"name\":\"weather\"}]", one).calls),
                ElementsAre("now{}"));
}

TEST(tool_call_reader, reads_a_call_as_the_library_writes_it_into_history) {
    const tool_call call{call_id(3, 0), "weather", "{\"city\": \"Bonn\",  \"days\":2}"};
    const auto text = wire::format_tool_call(call);
    EXPECT_THAT(read_calls(text).calls, ElementsAre(call));
    EXPECT_THAT(read_calls("<tool_call>\n" + text + "\n</tool_call>").calls, ElementsAre(call));
}

TEST(tool_call_extractor, knows_why_the_first_of_the_calls_that_are_none_is_text) {
    tool_call_extractor reader({.functions = {"now"}});
    EXPECT_EQ(reader.fault(), call_fault::none);
    reader.feed("<tool_call>{\"name\":\"then\"}</tool_call>");
    reader.feed("<tool_call>{\"name\":");
    EXPECT_EQ(reader.finish().fault, call_fault::cut_off);
    EXPECT_EQ(reader.fault(), call_fault::unknown_function);
}

TEST(tool_call_extractor, has_no_text_from_the_mark_of_a_broken_call_on) {
    tool_call_extractor reader({.functions = {"now"}});
    EXPECT_EQ(reader.feed("Well. <tool_call>now(").text, "Well.");
    EXPECT_EQ(reader.feed(")</tool_call> And").text, "");
    EXPECT_EQ(reader.feed(" so on.").text, "");
    EXPECT_EQ(reader.finish().text, "");
    const auto error = reader.error(finish_reason::eos);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->status, 502);
    EXPECT_EQ(error->code, "malformed_tool_call");
    EXPECT_EQ(
        error->message,
        "the tool call of the model cannot be parsed: <tool_call>now()</tool_call> And so on.");
}

TEST(tool_call_extractor, bounds_what_its_error_tells_of_a_broken_call) {
    tool_call_extractor reader({.functions = {"now"}});
    reader.feed("<tool_call>now(" + std::string(200'000, 'x'));
    reader.finish();
    EXPECT_LT(reader.error(finish_reason::eos)->message.size(), 5000u);
}

TEST(tool_call_extractor, is_done_when_its_error_has_all_that_it_tells) {
    tool_call_extractor reader({.functions = {"now"}});
    reader.feed(" \n<tool_call>now()</tool_call>");
    EXPECT_FALSE(reader.is_done()) << "the error may get longer";
    reader.feed(std::string(4096, 'x'));
    EXPECT_TRUE(reader.is_done());
    EXPECT_FALSE(reader.is_full());
    const auto told = reader.error(finish_reason::interrupted);
    ASSERT_TRUE(told);
    EXPECT_THAT(told->message, ::testing::HasSubstr(" <tool_call>now()</tool_call>xxx"));
    EXPECT_THAT(told->message, ::testing::EndsWith("xxx..."));
}

TEST(tool_call_extractor, is_not_done_within_a_call_or_text_however_long) {
    tool_call_extractor reader({.functions = {"now"}});
    reader.feed(std::string(10'000, 'x') + "<tool_call>{\"name\":\"now\",\"arguments\":{\"a\":\"");
    reader.feed(std::string(10'000, 'x'));
    EXPECT_FALSE(reader.is_done());
}

TEST(tool_call_extractor, has_no_error_where_the_bound_of_the_reply_cut_a_call_off) {
    const struct {
        const char* text;
        finish_reason reason;
        bool has_error;
    } rows[] = {
        {"Well. <tool_call>{\"name\":\"no", finish_reason::length, false},
        {"Well. <tool_call>", finish_reason::length, false},
        {"Well. <tool_call><function=now><parameter=a>5", finish_reason::length, false},
        {"Well. <tool_call>{\"name\":\"no", finish_reason::eos, true},
        {"Well. <tool_call>now()</tool_call> And", finish_reason::length, true},
        {"Well. <tool_call>now()</tool_call><tool_call>{", finish_reason::length, true},
    };
    for (const auto& row : rows) {
        tool_call_extractor reader({.functions = {"now"}});
        auto text = reader.feed(row.text).text;
        text += reader.finish().text;
        EXPECT_EQ(text, "Well.") << row.text;
        EXPECT_EQ(reader.error(row.reason).has_value(), row.has_error) << row.text;
        EXPECT_EQ(reader.reason(row.reason), row.reason);
    }
}

TEST(tool_call_extractor, has_text_and_no_error_where_json_without_a_mark_is_no_call) {
    tool_call_extractor reader({.functions = {"now"}});
    auto text = reader.feed(R"({"name":"later","parameters":{}})").text;
    EXPECT_EQ(text + reader.finish().text, R"({"name":"later","parameters":{}})");
    EXPECT_FALSE(reader.error(finish_reason::eos));
}

TEST(tool_call_extractor, finds_the_call_in_what_gpt_oss_wrote_for_itself) {
    const std::string thought = "The time?";
    const std::string header = "<|start|>assistant<|channel|>commentary to=functions.now ";
    tool_call_extractor reader({.functions = {"now"}, .id_seed = 3});
    const auto read =
        reader.finish(thought + header + R"(<|constrain|>json<|message|>{"zone":"UTC"})");
    EXPECT_THAT(names(read.calls), ElementsAre(R"(now{"zone":"UTC"})"));
    EXPECT_EQ(read.calls[0].id, call_id(3, 0));
    EXPECT_EQ(reader.reasoning_bytes(), thought.size());
    EXPECT_FALSE(reader.error(finish_reason::eos));

    tool_call_extractor broken({.functions = {"now"}});
    EXPECT_THAT(broken.finish(thought + header + R"(json<|message|>{"zone":"U)").calls, IsEmpty());
    const auto error = broken.error(finish_reason::eos);
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, ::testing::HasSubstr("to=functions.now"));
    EXPECT_FALSE(broken.error(finish_reason::length)) << "it was cut off";
    EXPECT_EQ(broken.reasoning_bytes(), thought.size());

    tool_call_extractor thinking({.functions = {"now"}});
    EXPECT_THAT(thinking.finish("I could write to=functions.now here.").calls, IsEmpty());
    EXPECT_FALSE(thinking.error(finish_reason::eos));
}

TEST(tool_call_extractor, without_functions_is_text_and_no_fault) {
    tool_call_extractor reader(call_rules{});
    EXPECT_EQ(reader.feed("<tool_call>{]").text, "<tool_call>{]");
    EXPECT_EQ(reader.fault(), call_fault::none);
}

TEST(a_call_that_is_none, is_warned_of_with_its_request_and_model) {
    std::vector<std::string> lines;
    logger log;
    log.write = [&](log_level level, std::string_view line) {
        EXPECT_EQ(level, log_level::warning);
        lines.emplace_back(line);
    };
    warn_of(log, call_fault::none, "talk", "req-1");
    warn_of(log, call_fault::malformed, "talk", "req-1");
    EXPECT_THAT(lines,
                ::testing::ElementsAre("request req-1: the tool call of talk cannot be parsed"));
}

}  // namespace
}  // namespace tandem::gateway
