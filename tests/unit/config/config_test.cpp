#include "tandem/config.hpp"

#include "config/config_defaults.hpp"

#include "tandem/config_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::check;
using tandem::config;
using tandem::field_text;
using tandem::parse_duration;
using tandem::set_field;
using tandem::to_string;
using tandem::detail::apply_client_sampling_defaults;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> faulty_fields(const config& c) {
    std::vector<std::string> names;
    for (const auto& fault : check(c)) names.push_back(fault.field);
    return names;
}

TEST(config, is_usable_as_it_comes) {
    EXPECT_TRUE(check(config{}).empty());
}

TEST(config, names_every_fault_at_once) {
    config c;
    c.server.slots = -1;
    c.chunking.peek_hold = -1ms;
    c.generation.temperature = -1;
    EXPECT_THAT(faulty_fields(c), ElementsAre("slots", "peek_hold", "temperature"));
}

TEST(config, reports_the_value_and_the_range_of_a_fault) {
    config c;
    c.server.slots = 5000;
    EXPECT_EQ(check(c).at(0).message, "is 5000; it must be a whole number from 0 to 1024");
}

TEST(config, reports_the_range_of_a_time) {
    config c;
    c.chunking.peek_hold = -1ms;
    c.limits.continue_timeout = 0s;
    EXPECT_EQ(check(c).at(0).message, "is -1ms; it must be a time from 0 to 1m");
    EXPECT_EQ(check(c).at(1).message, "is 0s; it must be a time from 1ms to 24h");
}

TEST(config, reports_the_range_of_a_number_over_its_bound) {
    config c;
    c.generation.top_p = 0;
    EXPECT_EQ(check(c).at(0).message, "is 0; it must be a number greater than 0 and at most 1");
}

struct bad_value {
    const char* field;
    void (*set)(config&);
};

class config_refuses : public testing::TestWithParam<bad_value> {};

TEST_P(config_refuses, a_value_that_cannot_work) {
    config c;
    GetParam().set(c);
    EXPECT_THAT(faulty_fields(c), ElementsAre(GetParam().field));
}

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    table, config_refuses,
    testing::Values(
        bad_value{"url", [](config& c) { c.server.url = ""; }},
        bad_value{"url", [](config& c) { c.server.url = "ftp://host"; }},
        bad_value{"url", [](config& c) { c.server.url = "http://host:99999"; }},
        bad_value{"url", [](config& c) { c.server.url = "http://host:1/v1"; }},
        bad_value{"proxy", [](config& c) { c.server.proxy = "off"; }},
        bad_value{"api_key", [](config& c) { c.server.api_key = "key\n"; }},
        bad_value{"api_key", [](config& c) { c.server.api_key = "k\xC3\xA9y"; }},
        bad_value{"ca_file", [](config& c) { c.server.ca_file = std::string("a\0b", 3); }},
        bad_value{"slots", [](config& c) { c.server.slots = -1; }},
        bad_value{"reuse_guard",
                  [](config& c) { c.server.reuse_guard = 2h, c.limits.queue_timeout = 3h; }},
        bad_value{"queue_timeout",
                  [](config& c) { c.server.reuse_guard = c.limits.queue_timeout = 2s; }},
        bad_value{"queue_timeout", [](config& c) { c.limits.queue_timeout = 25h; }},
        bad_value{"queue_limit", [](config& c) { c.limits.queue_limit = 0; }},
        bad_value{"pacing", [](config& c) { c.pacing.mode = static_cast<tandem::pacing>(99); }},
        bad_value{
            "boundary_rule",
            [](config& c) { c.chunking.boundary_rule = static_cast<tandem::boundary_rule>(99); }},
        bad_value{"speech", [](config& c) { c.speech.form = static_cast<tandem::speech_form>(9); }},
        bad_value{"speech_emoji",
                  [](config& c) { c.speech.emoji = static_cast<tandem::emoji_speech>(9); }},
        bad_value{"speech_code",
                  [](config& c) { c.speech.code = static_cast<tandem::code_speech>(9); }},
        bad_value{"speech_urls",
                  [](config& c) { c.speech.urls = static_cast<tandem::url_speech>(9); }},
        bad_value{"reasoning_tags",
                  [](config& c) {
                      c.speech.reasoning_tags = {{"", "a"}};
                  }},
        bad_value{"reasoning_tags",
                  [](config& c) {
                      c.speech.reasoning_tags = {{"a", ""}};
                  }},
        bad_value{"reasoning_tags",
                  [](config& c) {
                      c.speech.reasoning_tags = {{"a", std::string(65, 'x')}};
                  }},
        bad_value{"reasoning_tags",
                  [](config& c) {
                      c.speech.reasoning_tags = {{"\xFF", "a"}};
                  }},
        bad_value{"reasoning_tags",
                  [](config& c) {
                      c.speech.reasoning_tags.assign(33, {"a", "b"});
                  }},
        bad_value{"first_chunk_min_tokens",
                  [](config& c) { c.chunking.first_chunk_min_tokens = 25; }},
        bad_value{"first_chunk_max_tokens",
                  [](config& c) { c.chunking.first_chunk_max_tokens = 10001; }},
        bad_value{"chunk_max_tokens", [](config& c) { c.chunking.chunk_max_tokens = -1; }},
        bad_value{"connect_timeout", [](config& c) { c.limits.connect_timeout = 0s; }},
        bad_value{"first_token_timeout", [](config& c) { c.limits.first_token_timeout = -1s; }},
        bad_value{"between_tokens_timeout",
                  [](config& c) { c.limits.between_tokens_timeout = 0s; }},
        bad_value{"continue_timeout", [](config& c) { c.limits.continue_timeout = 25h; }},
        bad_value{"request_timeout", [](config& c) { c.limits.request_timeout = 0s; }},
        bad_value{"max_tokens", [](config& c) { c.generation.max_tokens = -1; }},
        bad_value{"temperature", [](config& c) { c.generation.temperature = nan; }},
        bad_value{"temperature", [](config& c) { c.generation.temperature = infinite; }},
        bad_value{"top_p", [](config& c) { c.generation.top_p = 0; }},
        bad_value{"top_k", [](config& c) { c.generation.top_k = -1; }},
        bad_value{"min_p", [](config& c) { c.generation.min_p = 1.5; }},
        bad_value{"repeat_penalty", [](config& c) { c.generation.repeat_penalty = 0; }},
        bad_value{"repeat_last_n", [](config& c) { c.generation.repeat_last_n = -2; }},
        bad_value{"presence_penalty", [](config& c) { c.generation.presence_penalty = 3; }},
        bad_value{"frequency_penalty", [](config& c) { c.generation.frequency_penalty = -3; }},
        bad_value{"seed", [](config& c) { c.generation.seed = 5'000'000'000; }},
        bad_value{"stop", [](config& c) { c.generation.stop = {""}; }},
        bad_value{"stop", [](config& c) { c.generation.stop = {std::string(257, 'x')}; }},
        bad_value{"stop", [](config& c) { c.generation.stop.assign(17, "x"); }},
        bad_value{"traceparent", [](config& c) { c.generation.traceparent = "00-1"; }},
        bad_value{"lookahead", [](config& c) { c.generation.lookahead = 9; }}),
    [](const auto& row) { return std::string(row.param.field) + std::to_string(row.index); });

TEST(config, takes_the_first_chunk_bound_from_later_chunks_if_it_is_zero) {
    config c;
    c.chunking.first_chunk_max_tokens = 0;
    c.chunking.chunk_max_tokens = 5;
    EXPECT_THAT(faulty_fields(c), ElementsAre("first_chunk_min_tokens"));
}

// Settings that constrain a reply, and the fields that check() reports.
struct constraint_row {
    const char* name;
    void (*set)(tandem::generation_options&);
    std::vector<std::string> faulty;
};
class constraints : public testing::TestWithParam<constraint_row> {};

TEST_P(constraints, are_refused_if_they_cannot_work) {
    config c;
    GetParam().set(c.generation);
    EXPECT_EQ(faulty_fields(c), GetParam().faulty);
    EXPECT_EQ(check(c.generation).size(), GetParam().faulty.size());
}

INSTANTIATE_TEST_SUITE_P(
    table, constraints,
    testing::Values(
        constraint_row{"grammar", [](auto& o) { o.grammar = R"(root ::= "yes" | "no")"; }, {}},
        constraint_row{"schema", [](auto& o) { o.json_schema = R"({"type":"object"})"; }, {}},
        constraint_row{"tools", [](auto& o) { o.tools = R"([{"type":"function"}])"; }, {}},
        constraint_row{"most", [](auto& o) { o.grammar.assign(64 * 1024, 'x'); }, {}},
        constraint_row{
            "too_large", [](auto& o) { o.grammar.assign(64 * 1024 + 1, 'x'); }, {"grammar"}},
        constraint_row{"no_utf8", [](auto& o) { o.grammar = "\xC3"; }, {"grammar"}},
        constraint_row{"sampling", [](auto& o) { o.sampling = R"({"mirostat":2})"; }, {}},
        constraint_row{"sampling_out_of_range",
                       [](auto& o) { o.sampling = R"({"mirostat":3})"; },
                       {"mirostat"}},
        constraint_row{"sampling_that_tandem_sends",
                       [](auto& o) { o.sampling = R"({"stream":false})"; },
                       {"sampling"}},
        constraint_row{"template_options_of_another_kind",
                       [](auto& o) { o.template_options = R"({"reasoning_effort":1})"; },
                       {"reasoning_effort"}},
        constraint_row{"schema_of_a_list", [](auto& o) { o.json_schema = "[]"; }, {"json_schema"}},
        constraint_row{"schema_no_json", [](auto& o) { o.json_schema = "{a}"; }, {"json_schema"}},
        constraint_row{
            "schema_too_deep",
            [](auto& o) { o.json_schema = std::string(1000, '[') + std::string(1000, ']'); },
            {"json_schema"}},
        constraint_row{"tools_of_texts", [](auto& o) { o.tools = R"(["f"])"; }, {"tools"}},
        constraint_row{"both",
                       [](auto& o) {
                           o.grammar = "root ::= [a-z]";
                           o.json_schema = "{}";
                       },
                       {"json_schema"}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(adapters, are_known_by_a_number_each_has_once) {
    const auto fault_of = [](std::vector<tandem::adapter_scale> lora) {
        const auto faults = check(tandem::generation_options{.lora = std::move(lora)});
        return faults.empty() ? "" : faults.front().field + ' ' + faults.front().message;
    };
    EXPECT_EQ(fault_of({{0, 1.0}, {1023, -100.0}}), "");
    EXPECT_THAT(fault_of({{-1, 1.0}}), HasSubstr("lora has the id -1;"));
    EXPECT_THAT(fault_of({{0, 100.5}}), HasSubstr("lora has the scale 100.5;"));
    EXPECT_THAT(fault_of({{0, std::numeric_limits<double>::quiet_NaN()}}), HasSubstr("the scale"));
    EXPECT_THAT(fault_of({{2, 1.0}, {2, 0.5}}), HasSubstr("has the id 2 twice"));
}

TEST(config_error, names_every_field_in_its_text) {
    config c;
    c.server.slots = -1;
    c.server.url = "nonsense";
    const tandem::config_error error(check(c));
    EXPECT_THAT(error.what(), HasSubstr("slots is -1"));
    EXPECT_THAT(error.what(), HasSubstr("url "));
}

TEST(config_fields, have_names_of_their_own) {
    std::set<std::string> names;
    config c;
    int count = 0;
    for_each_field(c, [&](const tandem::field_info& f, auto&) {
        ++count;
        names.insert(f.name);
    });
    EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
}

TEST(config_fields, read_back_the_text_they_show) {
    const config original =
        apply_client_sampling_defaults({.server = {.slots = 3, .reuse_guard = 1s},
                                        .pacing = {.mode = tandem::pacing::ahead},
                                        .generation = {.seed = 3}});
    config copy;
    copy.server.slots = 7;
    copy.server.reuse_guard = 9s;
    copy.generation.top_p = 0.1;
    for_each_field(original, [&](const tandem::field_info& f, const auto&) {
        for (const std::string_view list :
             {"stop", "reasoning_tags", "speech_replace", "speech_mark_tags"})
            if (f.name == list) return;  // set_field() adds an entry
        EXPECT_EQ(set_field(copy, f.name, field_text(original, f.name)), std::nullopt) << f.name;
        EXPECT_EQ(field_text(copy, f.name), field_text(original, f.name));
    });
}

TEST(config_fields, never_show_a_secret) {
    config c;
    c.server.api_key = "very-secret";
    EXPECT_EQ(field_text(c, "api_key"), "***");
    EXPECT_EQ(field_text(config{}, "api_key"), "");
}

TEST(config_fields, show_a_url_without_its_credentials) {
    config c;
    c.server.url = "http://user:pass@host:1/v1";
    EXPECT_EQ(field_text(c, "url"), "http://host:1/v1");
}

struct text_row {
    const char* field;
    const char* text;
    const char* fault;  // part of the message
};

class set_field_refuses : public testing::TestWithParam<text_row> {};

TEST_P(set_field_refuses, text_that_is_no_such_value_and_changes_nothing) {
    config c;
    const auto before = field_text(c, GetParam().field);
    const auto fault = set_field(c, GetParam().field, GetParam().text);
    ASSERT_TRUE(fault.has_value());
    EXPECT_THAT(*fault, HasSubstr(GetParam().fault));
    EXPECT_EQ(field_text(c, GetParam().field), before);
}

INSTANTIATE_TEST_SUITE_P(
    table, set_field_refuses,
    testing::Values(
        text_row{"slots", "two", "whole number"}, text_row{"slots", "2.5", "whole number"},
        text_row{"slots", "", "whole number"}, text_row{"slots", "99999999999", "whole number"},
        text_row{"temperature", "hot", "a number"}, text_row{"temperature", "1,5", "a number"},
        text_row{"peek_hold", "250 ms", "250ms"}, text_row{"peek_hold", "-1s", "250ms"},
        text_row{"peek_hold", "1d", "250ms"}, text_row{"peek_hold", "auto", "250ms"},
        text_row{"reuse_guard", "off", "or auto"}, text_row{"reuse_guard", "Auto", "or auto"},
        text_row{"reuse_guard", "", "or auto"},
        text_row{"erase_after_cut", "maybe", "true or false"}, text_row{"pacing", "fast", "strict"},
        text_row{"boundary_rule", "newest", "classic"}, text_row{"speech", "", "exact or clean"},
        text_row{"speech_emoji", "named", "removed or kept"},
        text_row{"speech_code", "kept", "skipped or spoken"},
        text_row{"speech_urls", "removed", "kept or host"},
        text_row{"reasoning_tags", "<think>", "a closing mark"},
        text_row{"reasoning_tags", " </think>", "a closing mark"},
        text_row{"reasoning_tags", "", "none"}, text_row{"no_such_field", "1", "unknown field"}));

// If set_field() cannot parse the text, the message has the same wording as check()'s message for a
// value out of range. For a time, set_field() adds examples.
TEST(set_field, reports_the_text_and_what_it_must_be) {
    config c;
    EXPECT_EQ(*set_field(c, "slots", "two"), "is two; it must be a whole number from 0 to 1024");
    EXPECT_EQ(*set_field(c, "slots", "99999999999"),
              "is 99999999999; it must be a whole number from 0 to 1024");
    EXPECT_EQ(*set_field(c, "peek_hold", "1min"),
              "is 1min; it must be a time from 0 to 1m, such as 250ms, 2s, 1m or 0.5h");
    EXPECT_EQ(*set_field(c, "reuse_guard", "off"),
              "is off; it must be a time from 0 to 1h, such as 250ms, 2s, 1m or 0.5h, or auto");
    EXPECT_EQ(*set_field(c, "pacing", "fast"),
              "is fast; it must be auto, strict, warm, ahead or stream");
    EXPECT_EQ(*set_field(c, "pacing", ""),
              "is empty; it must be auto, strict, warm, ahead or stream");
    EXPECT_EQ(*set_field(c, "erase_after_cut", "maybe"), "is maybe; it must be true or false");
}

TEST(reuse_guard, may_be_as_the_build_allows) {
    config c;
    EXPECT_EQ(set_field(c, "reuse_guard", "auto"), std::nullopt);
    EXPECT_EQ(c.server.reuse_guard, tandem::auto_guard);
    EXPECT_EQ(field_text(c, "reuse_guard"), "auto");
    EXPECT_TRUE(check(c).empty());
    EXPECT_EQ(set_field(c, "reuse_guard", "250ms"), std::nullopt);
    EXPECT_EQ(c.server.reuse_guard, 250ms);
}

// The value is sent as a header, so malformed text could add other headers.
TEST(traceparent, must_be_well_formed) {
    tandem::generation_options o;
    o.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    EXPECT_TRUE(check(o).empty());
    o.traceparent += "\r\nX-Other: 1";
    ASSERT_EQ(check(o).size(), 1u);
    EXPECT_EQ(check(o)[0].field, "traceparent");
}

TEST(set_field, adds_one_stop_text_a_call) {
    config c;
    EXPECT_EQ(set_field(c, "stop", "a"), std::nullopt);
    EXPECT_EQ(set_field(c, "stop", "b"), std::nullopt);
    EXPECT_THAT(c.generation.stop, ElementsAre("a", "b"));
}

TEST(set_field, adds_one_pair_of_reasoning_tags_a_call) {
    config c;
    EXPECT_EQ(set_field(c, "reasoning_tags", "none"), std::nullopt);
    EXPECT_EQ(c.speech.reasoning_tags.size(), 0u);
    EXPECT_EQ(set_field(c, "reasoning_tags", "<a> </a>"), std::nullopt);
    EXPECT_EQ(set_field(c, "reasoning_tags", "<b>  the end"), std::nullopt);
    EXPECT_THAT(c.speech.reasoning_tags,
                ElementsAre(tandem::tag_pair{"<a>", "</a>"}, tandem::tag_pair{"<b>", "the end"}));
    EXPECT_EQ(field_text(c, "reasoning_tags"), "<a> </a>, <b> the end");
}

struct duration_row {
    const char* text;
    tandem::duration expected;
};

class durations : public testing::TestWithParam<duration_row> {};

TEST_P(durations, are_read_with_their_unit) {
    EXPECT_EQ(parse_duration(GetParam().text), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(table, durations,
                         testing::Values(duration_row{"250ms", 250ms}, duration_row{"2s", 2s},
                                         duration_row{"1m", 1min}, duration_row{"1h", 1h},
                                         duration_row{"2", 2s}, duration_row{"0", 0s},
                                         duration_row{"0.5", 500ms}, duration_row{"1.5s", 1500ms},
                                         duration_row{"0.25ms", 250us}));

TEST(durations, that_are_none_give_nothing) {
    for (const char* text :
         {"", "ms", "1 s", "-1s", "1sec", "1..5s", "nan", "inf", "1e3s", "99999999999h"})
        EXPECT_FALSE(parse_duration(text).has_value()) << text;
}

TEST(durations, are_shown_as_they_are_read) {
    for (const auto d : {tandem::duration(0s), tandem::duration(2s), tandem::duration(250ms),
                         tandem::duration(1500ms), tandem::duration(250us), tandem::duration(10ns),
                         tandem::duration(1h + 1ns)})
        EXPECT_EQ(parse_duration(to_string(d)), d) << to_string(d);
}

}  // namespace
