#include "gateway/voice/voice_message_reader.hpp"

#include "gateway/voice/voice_protocol.hpp"
#include "support/run_settings.hpp"
#include "text/characters/utf8.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <variant>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Message>
Message read(const std::string& text) {
    auto message = parse_voice_message(text);
    if (const auto* why = std::get_if<voice_message_error>(&message)) {
        ADD_FAILURE() << text << ": " << why->message;
        return {};
    }
    return std::get<Message>(std::get<voice_message>(std::move(message)));
}

voice_message_error fault_of(const std::string& text) {
    auto message = parse_voice_message(text);
    if (const auto* why = std::get_if<voice_message_error>(&message)) return *why;
    ADD_FAILURE() << text << " was read";
    return {};
}

std::string nested(int depth) {
    return R"({"type":"resume","x":)" + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
}

TEST(voice_message, of_each_type_is_read) {
    const auto c = read<voice::continued>(R"({"type":"continue","chunk":"12-3"})");
    EXPECT_EQ(c.chunk, (client_chunk_id{12, 3}));
    const auto s = read<voice::speaking>(R"({"type":"speaking","chunk":"1-0","ends_in_ms":2400})");
    EXPECT_EQ(s.chunk, (client_chunk_id{1, 0}));
    EXPECT_EQ(s.ends_in, 2400ms);
    const auto h = read<voice::heard>(R"({"type":"heard","chunk":"1-0","chars":14})");
    EXPECT_EQ(h.chars, 14u);
    const std::string float_chars = R"({"type":"heard","chunk":"1-0","chars":7.0})";
    EXPECT_EQ(read<voice::heard>(float_chars).chars, 7u);
    EXPECT_EQ(read<voice::heard>(R"({"type":"heard","chunk":"1-0","share":0.25})").share, 0.25);
    EXPECT_FALSE(read<voice::interrupt>(R"({"type":"interrupt"})").heard);
    const auto i =
        read<voice::interrupt>(R"({"type":"interrupt","heard":{"chunk":"1-2","chars":3}})");
    ASSERT_TRUE(i.heard);
    EXPECT_EQ(i.heard->chunk, (client_chunk_id{1, 2}));
    read<voice::resume>(R"({"type":"resume"})");
    const auto r = read<voice::result>(R"({"type":"result","call":"c1","content":"noon"})");
    EXPECT_EQ(r.call, "c1");
    EXPECT_EQ(r.content, "noon");
    EXPECT_FALSE(r.later || r.keep);
    EXPECT_TRUE(read<voice::result>(R"({"type":"result","call":"c1","later":true})").later);
    EXPECT_TRUE(
        read<voice::result>(R"({"type":"result","call":"c","content":"","keep":true})").keep);
    const auto said = read<voice::say>(R"({"type":"say","turn":"t1","text":"Good evening."})");
    EXPECT_EQ(said.turn, "t1");
    EXPECT_EQ(said.text, "Good evening.");
    EXPECT_TRUE(said.history);
    EXPECT_FALSE(read<voice::say>(R"({"type":"say","text":"Hm.","history":false})").history);
    const auto heard = read<voice::hearing>(R"({"type":"hearing","text":"A tab","stable":2})");
    EXPECT_EQ(heard.text, "A tab");
    EXPECT_EQ(heard.stable, 2u);
    EXPECT_FALSE(read<voice::hearing>(R"({"type":"hearing","text":""})").stable);
    const auto drafted = read<voice::draft>(
        R"({"type":"draft","turn":"t2","text":"A table","options":{"max_tokens":9}})");
    EXPECT_EQ(drafted.turn, "t2");
    EXPECT_EQ(drafted.text, "A table");
    EXPECT_EQ(drafted.options.values.max_tokens, 9);
    const auto sure = read<voice::commit>(R"({"type":"commit","text":"A table","match":"exact"})");
    EXPECT_EQ(sure.text, "A table");
    EXPECT_EQ(sure.match, voice::word_match::exact);
    EXPECT_EQ(read<voice::commit>(R"({"type":"commit","text":"A"})").match,
              voice::word_match::words);
    read<voice::drop>(R"({"type":"drop"})");
    read<voice::end>(R"({"type":"end"})");
}

TEST(voice_start, takes_messages_in_the_forms_that_http_requests_have) {
    const auto m = read<voice::start>(R"({"type":"start","messages":[
        {"role":"developer","content":[{"type":"text","text":"Be"},{"type":"text","text":"brief."}]},
        {"role":"assistant","tool_calls":[
            {"id":"c1","type":"function","function":{"name":"clock","arguments":"{}"}}]}]})");
    ASSERT_EQ(m.messages.size(), 2u);
    EXPECT_EQ(m.messages[0].role, "system");
    EXPECT_EQ(m.messages[0].content, "Be\nbrief.");
    EXPECT_THAT(m.messages[1].tool_calls,
                ElementsAre(tool_call{.id = "c1", .name = "clock", .arguments = "{}"}));
}

TEST(voice_start, has_all_that_a_session_begins_with) {
    const auto m = read<voice::start>(R"({"type":"start",
        "messages":[{"role":"system","content":"Be brief."},
            {"role":"assistant","content":null,
             "tool_calls":[{"id":"c1","name":"clock","arguments":"{}"}]},
            {"role":"tool","tool_call_id":"c1","name":"clock","content":"noon"}],
        "text":"Hello", "model":"talk", "timeline":true,
        "user_stopped_ms_ago":812.5, "vad_stop_ms":500,
        "conversation":{"interrupted":"full","interrupted_mark":"…","resume_grace_ms":2000,
                        "reply_reserve":100,"trim_slack":0.5,"isolate":true}})");
    ASSERT_EQ(m.messages.size(), 3u);
    EXPECT_EQ(m.messages[1].content, "");
    EXPECT_THAT(m.messages[1].tool_calls,
                ElementsAre(tool_call{.id = "c1", .name = "clock", .arguments = "{}"}));
    EXPECT_EQ(m.messages[2].tool_call_id, "c1");
    EXPECT_EQ(m.text, "Hello");
    EXPECT_EQ(m.model, "talk");
    EXPECT_TRUE(m.timeline);
    EXPECT_EQ(m.user_stopped_ago, 812500us);
    EXPECT_EQ(m.vad_stop, 500ms);
    const auto options = apply_changes(conversation_options(), m.conversation);
    EXPECT_EQ(options, (conversation_options{.interrupted = history_policy::full,
                                             .interrupted_mark = "…",
                                             .resume_grace = 2s,
                                             .reply_reserve = 100,
                                             .trim_slack = 0.5,
                                             .isolate = true}));
}

TEST(voice_start, may_say_nothing) {
    const auto m = read<voice::start>(R"({"type":"start"})");
    EXPECT_FALSE(m.text);
    EXPECT_FALSE(m.prompt);
    EXPECT_EQ(m.conversation, conversation_changes());
}

TEST(voice_start, may_have_an_empty_message_in_its_history) {
    read<voice::start>(R"({"type":"start","text":"Hi","messages":[{"role":"user","content":""}]})");
}

TEST(voice_start, changes_the_further_fields_of_sampling_that_it_names_alone) {
    const auto first = read<voice::start>(R"({"type":"start","options":
        {"logit_bias":{"5":-100},"mirostat":1,"reasoning_effort":"low"}})");
    const auto later = read<voice::start>(R"({"type":"start","options":{"mirostat":2}})");
    const auto options = apply_changes(apply_changes({}, first.options), later.options);
    EXPECT_EQ(options.sampling, R"({"logit_bias":{"5":-100},"mirostat":2})");
    EXPECT_EQ(options.template_options, R"({"reasoning_effort":"low"})");
}

TEST(voice_start, with_a_raw_prompt_has_no_options_of_a_chat_template) {
    const auto why =
        fault_of(R"({"type":"start","prompt":"Once","options":{"reasoning_effort":"low"}})");
    EXPECT_EQ(why.message,
              "options.reasoning_effort is for a chat template; a raw prompt has none");
    const auto m = read<voice::start>(
        R"({"type":"start","prompt":"Once","options":{"mirostat":1,"reasoning_effort":null}})");
    EXPECT_EQ(m.options.values.sampling, R"({"mirostat":1})");
}

TEST(voice_start, changes_the_options_that_it_names_alone) {
    const auto m = read<voice::start>(R"({"type":"start","options":
        {"max_tokens":100,"temperature":1,"stop":["\n","User:"],"seed":4294967295}})");
    const auto options = apply_changes({.max_tokens = 1, .top_k = 7}, m.options);
    EXPECT_EQ(options.max_tokens, 100);
    EXPECT_EQ(options.temperature, 1);
    EXPECT_THAT(options.stop, ElementsAre("\n", "User:"));
    EXPECT_EQ(options.seed, 4294967295);
    EXPECT_EQ(options.top_k, 7);
    EXPECT_EQ(options.top_p, generation_options().top_p);
}

TEST(voice_start, changes_how_replies_are_cut_and_spoken) {
    const auto m = read<voice::start>(R"({"type":"start","options":
        {"pacing":"ahead","language":"de","speech":"exact","chunk_max_tokens":40,
         "speech_replace":{"Dr.":"Doctor"},"speech_marks":"report","speech_mark_tags":["laughs"],
         "peek_hold_ms":0,"chunk_deadline_ms":1500,
         "reasoning_limit_ms":2000,"reasoning_limit_tokens":90}})");
    const generation_options base{.delivery = {.language = "en", .chunk_min_chars = 7}};
    EXPECT_EQ(apply_changes(base, m.options).delivery,
              (delivery_options{.pacing = pacing::ahead,
                                .language = "de",
                                .speech = speech_form::exact,
                                .speech_replace = {{{"Dr.", "Doctor"}}},
                                .speech_marks = mark_speech::report,
                                .speech_mark_tags = {{"laughs"}},
                                .chunk_max_tokens = 40,
                                .chunk_min_chars = 7,
                                .peek_hold = 0ms,
                                .chunk_deadline = 1500ms,
                                .reasoning_limit = 2s,
                                .reasoning_limit_tokens = 90}));
}

TEST(voice_start, may_give_a_turn_other_context_than_the_session_or_none) {
    const generation_options base{.context = "It is noon."};
    const auto kept = read<voice::start>(R"({"type":"start","options":{"top_k":1}})");
    EXPECT_EQ(apply_changes(base, kept.options).context, "It is noon.");
    const auto none = read<voice::start>(R"({"type":"start","options":{"context":""}})");
    EXPECT_EQ(apply_changes(base, none.options).context, "");
    EXPECT_EQ(fault_of(R"({"type":"start","prompt":"Once","options":{"context":"Noon"}})").param,
              "options.context");
}

TEST(voice_start, takes_json_as_text_or_as_it_is_and_keeps_its_order) {
    const auto m = read<voice::start>(R"({"type":"start","options":{
        "json_schema":{"z":{"b":1,"a":2}}}})");
    EXPECT_EQ(m.options.values.json_schema, R"({"z":{"b":1,"a":2}})");
    const auto as_text =
        read<voice::start>(R"({"type":"start","options":{"json_schema":"{\"z\": 1}"}})");
    EXPECT_EQ(as_text.options.values.json_schema, R"({"z": 1})");
}

TEST(voice_start, reads_the_functions_that_a_model_may_call) {
    const std::string tools =
        R"([{"type":"function","function":{"name":"f","parameters":{"z":1,"a":2}}}])";
    const auto m = read<voice::start>(R"({"type":"start","options":{"tools":)" + tools + "}}");
    EXPECT_EQ(apply_changes(generation_options(), m.options).tools, tools) << "in their order";
}

TEST(voice_start, may_have_no_functions_if_its_session_has_some) {
    const auto m = read<voice::start>(R"({"type":"start","options":{"tools":[]}})");
    generation_options base;
    base.tools = "[{}]";
    EXPECT_EQ(apply_changes(base, m.options).tools, "");
    EXPECT_EQ(apply_changes(base, {}).tools, "[{}]");
}

TEST(voice_start, reads_calls_of_tools_as_openai_has_them) {
    const auto m = read<voice::start>(R"({"type":"start","messages":[{"role":"assistant",
        "tool_calls":[{"id":"c1","type":"function",
                       "function":{"name":"clock","arguments":"{}"}}]}]})");
    EXPECT_THAT(m.messages[0].tool_calls,
                ElementsAre(tool_call{.id = "c1", .name = "clock", .arguments = "{}"}));
}

TEST(voice_message, names_its_turn) {
    const std::string longest(64, 'x');
    for (const auto& id : {std::string("1"), std::string("Az09._:-"), longest}) {
        EXPECT_EQ(read<voice::start>(R"({"type":"start","turn":")" + id + "\"}").turn, id);
        EXPECT_EQ(read<voice::resume>(R"({"type":"resume","turn":")" + id + "\"}").turn, id);
    }
    EXPECT_EQ(read<voice::start>(R"({"type":"start"})").turn, "");
    EXPECT_EQ(get_ids(voice::start{.turn = "t"}).turn, "t");
    EXPECT_EQ(get_ids(voice::resume{.turn = "t"}).turn, "t");
    EXPECT_EQ(get_ids(voice::end()).turn, "");
}

TEST(voice_message, that_is_refused_is_reported_by_its_turn) {
    const struct {
        const char *text, *turn;
    } rows[] = {
        {R"({"type":"start","text":"","turn":"t-1"})", "t-1"},
        {R"({"turn":"t-1","options":{"seed":"x"},"type":"start"})", "t-1"},
        {R"({"type":"start","session":[],"turn":7})", ""},
        {R"({"type":"start","text":"","turn":"t 1"})", ""},
        {R"({"type":"continue","turn":"t-1"})", ""},
        {R"({"type":"start","turn":"t-1")", ""},
        {R"({"type":"start","turn":"t-1","text":"A","text":"B"})", "t-1"},
    };
    for (const auto& row : rows) EXPECT_EQ(fault_of(row.text).ids.turn, row.turn) << row.text;
}

TEST(voice_message, may_have_fields_that_nobody_knows_and_nulls) {
    read<voice::resume>(R"({"type":"resume","colour":{"of":["the","sky"]}})");
    const auto m = read<voice::start>(
        R"({"type":"start","text":null,"options":{"top_q":1,"seed":null},"session":null})");
    EXPECT_FALSE(m.text);
    EXPECT_TRUE(m.options.given.empty());
}

TEST(voice_message, of_no_known_type_is_refused) {
    const auto why = fault_of(R"({"type":"dance"})");
    EXPECT_EQ(why.code, "unknown_type");
    EXPECT_EQ(why.param, "type");
    EXPECT_THAT(why.message, HasSubstr("dance"));
    EXPECT_THAT(why.message, HasSubstr("start, continue, speaking, heard"));
}

TEST(voice_message, of_a_long_type_is_refused_with_whole_characters_of_it) {
    std::string type = "x";  // puts the limit inside a character
    for (int i = 0; i < 100; ++i) type += "ä";
    const auto why = fault_of(R"({"type":")" + type + R"("})");
    EXPECT_THAT(why.message, HasSubstr("xä"));
    EXPECT_EQ(text::find_invalid_utf8(why.message), std::string::npos);
}

TEST(voice_message, that_is_no_json_object_is_refused) {
    for (const auto* text : {"", "hello", "[]", "7", R"({"type":"end")", "{\"type\":\"\xFF\"}",
                             R"({"type":"start","text":"\ud800"})"})
        EXPECT_EQ(fault_of(text).code, "invalid_json") << text;
}

TEST(voice_message, has_bounds) {
    read<voice::resume>(nested(31));
    EXPECT_EQ(fault_of(nested(32)).code, "invalid_json");
    std::string keys = R"({"type":"resume")";
    for (int i = 0; i < 128; ++i) keys += ",\"" + std::to_string(i) + "\":1";
    EXPECT_EQ(fault_of(keys + "}").code, "invalid_json");
    EXPECT_EQ(fault_of(R"({"type":"start","session":")" + std::string(65, 'x') + "\"}").param,
              "session");
    EXPECT_EQ(fault_of(R"({"type":"start","model":")" + std::string(257, 'x') + "\"}").param,
              "model");
}

TEST(voice_message, is_refused_with_the_field_that_is_wrong) {
    const struct {
        const char *text, *field;
    } rows[] = {
        {R"({})", "type"},
        {R"({"type":5})", "type"},
        {R"({"type":"say","text":"Hi","text":"Ho"})", "text"},
        {R"({"type":"start","options":{"seed":1,"seed":1}})", "options.seed"},
        {R"({"type":"start","text":"Hi","options":{"lookahead":9}})", "options.lookahead"},
        {R"({"type":"continue"})", "chunk"},
        {R"({"type":"continue","chunk":12})", "chunk"},
        {R"({"type":"continue","chunk":"12"})", "chunk"},
        {R"({"type":"continue","chunk":"-1-2"})", "chunk"},
        {R"({"type":"continue","chunk":"1-2x"})", "chunk"},
        {R"({"type":"continue","chunk":"1-4294967296"})", "chunk"},
        {R"({"type":"speaking","ends_in_ms":1})", "chunk"},
        {R"({"type":"speaking","chunk":"1-0"})", "ends_in_ms"},
        {R"({"type":"speaking","chunk":"1-0","ends_in_ms":-1})", "ends_in_ms"},
        {R"({"type":"start","last":{"chunk":"1-0","chars":1}})", "last"},
        {R"({"type":"start","session":"s","last":7})", "last"},
        {R"({"type":"start","session":"s","last":{"chars":1}})", "last.chunk"},
        {R"({"type":"start","session":"s","last":{"chunk":"x","chars":1}})", "last.chunk"},
        {R"({"type":"start","session":"s","last":{"chunk":"1-0"}})", "last.chars"},
        {R"({"type":"start","session":"s","last":{"chunk":"1-0","chars":1,"words":1}})",
         "last.chars"},
        {R"({"type":"start","session":"s","last":{"chunk":"1-0","share":2}})", "last.share"},
        {R"({"type":"start","session":"s","last":{"chunk":"1-0","speaking":1}})", "last.speaking"},
        {R"({"type":"heard","chars":1})", "chunk"},
        {R"({"type":"heard","chunk":"1-0"})", "chars"},
        {R"({"type":"heard","chunk":"1-0","chars":1,"share":0.1})", "chars"},
        {R"({"type":"heard","chunk":"1-0","chars":-1})", "chars"},
        {R"({"type":"heard","chunk":"1-0","words":1,"said":"We"})", "chars"},
        {R"({"type":"heard","chunk":"1-0","said":7})", "said"},
        {R"({"type":"heard","chunk":"1-0","chars":1.5})", "chars"},
        {R"({"type":"heard","chunk":"1-0","share":1.5})", "share"},
        {R"({"type":"interrupt","heard":"1-0"})", "heard"},
        {R"({"type":"interrupt","heard":{"chunk":"1-0"}})", "heard.chars"},
        {R"({"type":"start","turn":""})", "turn"},
        {R"({"type":"start","turn":12})", "turn"},
        {R"({"type":"start","turn":"a b"})", "turn"},
        {R"({"type":"start","turn":"ä"})", "turn"},
        {R"({"type":"resume","turn":"a/b"})", "turn"},
        {R"({"type":"resume","turn":"12345678901234567890123456789012345678901234567890123456789012345"})",
         "turn"},
        {R"({"type":"start","text":""})", "text"},
        {R"({"type":"start","text":" \n\u00a0"})", "text"},
        {R"({"type":"start","text":["Hello"]})", "text"},
        {R"({"type":"start","prompt":" "})", "prompt"},
        {R"({"type":"start","prompt":"Once","text":"Hello"})", "prompt"},
        {R"({"type":"start","prompt":"Once","options":{"reasoning_effort":"low"}})",
         "options.reasoning_effort"},
        {R"({"type":"start","prompt":"Once","options":{"chat_template_kwargs":{"a":1}}})",
         "options.chat_template_kwargs"},
        {R"({"type":"start","session":"s","messages":[{"role":"user","content":"Hi"}]})",
         "messages"},
        {R"({"type":"start","session":"s","conversation":{"isolate":true}})", "conversation"},
        {R"({"type":"start","messages":{}})", "messages"},
        {R"({"type":"start","messages":[{"role":"user","content":"Hi"},{"role":3}]})",
         "messages[1].role"},
        {R"({"type":"start","messages":[{"role":"user"}]})", "messages[0].content"},
        {R"({"type":"start","messages":[{"role":"tool","content":null}]})", "messages[0].content"},
        {R"({"type":"start","messages":[{"role":"user","content":" "}]})", "messages[0].content"},
        {R"({"type":"start","messages":[{"role":"wizard","content":"Hi"}]})", "messages[0].role"},
        {R"({"type":"start","messages":[{"content":"Hello"}]})", "messages[0].role"},
        {R"({"type":"start","messages":[{"role":"user","content":7}]})", "messages[0].content"},
        {R"({"type":"start","messages":[{"role":"user","content":[{"type":"image_url"}]}]})",
         "messages[0].content[0].type"},
        {R"({"type":"start","messages":[{"role":"assistant","tool_calls":[{}]}]})",
         "messages[0].tool_calls[0].function"},
        {R"({"type":"start","options":[]})", "options"},
        {R"({"type":"start","options":{"temperature":"hot"}})", "options.temperature"},
        {R"({"type":"start","options":{"samplers":["nope"]}})", "options.samplers[0]"},
        {R"({"type":"start","options":{"temperature":-1}})", "options.temperature"},
        {R"({"type":"start","options":{"max_tokens":1.5}})", "options.max_tokens"},
        {R"({"type":"start","options":{"pacing":"fast"}})", "options.pacing"},
        {R"({"type":"start","options":{"speech":true}})", "options.speech"},
        {R"({"type":"start","options":{"speech_replace":["a"]}})", "options.speech_replace"},
        {R"({"type":"start","options":{"speech_replace":{"a":1}}})", "options.speech_replace.a"},
        {R"({"type":"start","options":{"speech_replace":{"a":""}}})", "options.speech_replace"},
        {R"({"type":"start","options":{"speech_marks":"eat"}})", "options.speech_marks"},
        {R"({"type":"start","options":{"speech_mark_tags":["a."]}})", "options.speech_mark_tags"},
        {R"({"type":"start","options":{"chunk_max_tokens":-1}})", "options.chunk_max_tokens"},
        {R"({"type":"start","options":{"peek_hold_ms":70000}})", "options.peek_hold_ms"},
        {R"({"type":"start","options":{"max_tokens":4294967297}})", "options.max_tokens"},
        {R"({"type":"start","options":{"seed":18446744073709551615}})", "options.seed"},
        {R"({"type":"start","options":{"stop":"x"}})", "options.stop"},
        {R"({"type":"start","options":{"stop":["x",1]}})", "options.stop[1]"},
        {R"({"type":"start","options":{"json_schema":"[]"}})", "options.json_schema"},
        {R"({"type":"start","options":{"tools":[{"type":"function"}]}})",
         "options.tools[0].function"},
        {R"({"type":"start","options":{"tools":[{"function":{"name":""}}]}})",
         "options.tools[0].function.name"},
        {R"({"type":"start","options":{"tools":[{"type":"web_search"}]}})",
         "options.tools[0].type"},
        {R"({"type":"start","prompt":"Once","options":{"tools":[{"function":{"name":"f"}}]}})",
         "options.tools"},
        {R"({"type":"start","prompt":"Once","options":{"tool_choice":"required"}})",
         "options.tool_choice"},
        {R"({"type":"result","call":"c1"})", "content"},
        {R"({"type":"result","call":"c1","later":false})", "content"},
        {R"({"type":"result","call":"c1","content":"noon","later":true})", "content"},
        {R"({"type":"result","call":"c1","later":1})", "later"},
        {R"({"type":"result","call":"c1","content":"noon","keep":"yes"})", "keep"},
        {R"({"type":"result","content":"noon"})", "call"},
        {R"({"type":"result","call":1,"content":"noon"})", "call"},
        {R"({"type":"result","call":"c1","content":{}})", "content"},
        {R"({"type":"hearing"})", "text"},
        {R"({"type":"hearing","text":"A","stable":-1})", "stable"},
        {R"({"type":"draft"})", "text"},
        {R"({"type":"draft","text":" "})", "text"},
        {R"({"type":"draft","text":"A","turn":"a b"})", "turn"},
        {R"({"type":"draft","text":"A","options":{"max_tokens":-1}})", "options.max_tokens"},
        {R"({"type":"commit"})", "text"},
        {R"({"type":"commit","text":""})", "text"},
        {R"({"type":"commit","text":"A","match":"nearly"})", "match"},
        {R"({"type":"say"})", "text"},
        {R"({"type":"say","text":" \n"})", "text"},
        {R"({"type":"say","text":["Hello"]})", "text"},
        {R"({"type":"say","text":"Hello","history":"no"})", "history"},
        {R"({"type":"say","text":"Hello","turn":"a b"})", "turn"},
        {R"({"type":"start","options":{"tools":"[]"}})", "options.tools"},
        {R"({"type":"start","conversation":{"interrupted":"some"}})", "conversation.interrupted"},
        {R"({"type":"start","conversation":{"resume_grace_ms":3600001}})",
         "conversation.resume_grace_ms"},
        {R"({"type":"start","conversation":{"resume_grace_ms":-1}})",
         "conversation.resume_grace_ms"},
        {R"({"type":"start","conversation":{"trim_slack":2}})", "conversation.trim_slack"},
        {R"({"type":"start","timeline":1})", "timeline"},
        {R"({"type":"start","filler":1})", "filler"},
        {R"({"type":"start","filler":{"texts":["Hm."]}})", "filler.after_ms"},
        {R"({"type":"start","filler":{"after_ms":500}})", "filler.texts"},
        {R"({"type":"start","filler":{"after_ms":-1,"texts":["Hm."]}})", "filler.after_ms"},
        {R"({"type":"start","filler":{"after_ms":500,"texts":[]}})", "filler.texts"},
        {R"({"type":"start","filler":{"after_ms":500,"texts":["Hm."," "]}})", "filler.texts"},
        {R"({"type":"start","filler":{"after_ms":500,"texts":["Hm.",1]}})", "filler.texts[1]"},
        {R"({"type":"start","user_stopped_ms_ago":-5})", "user_stopped_ms_ago"},
        {R"({"type":"start","vad_stop_ms":1e300})", "vad_stop_ms"},
        {R"({"type":"start","text":"Hi","traceparent":"00-1"})", "traceparent"},
    };
    for (const auto& row : rows) {
        const auto why = fault_of(row.text);
        EXPECT_EQ(why.code, "invalid_value") << row.text;
        EXPECT_EQ(why.param, row.field) << row.text << ": " << why.message;
        EXPECT_EQ(why.status, 400);
        EXPECT_THAT(why.message, ::testing::StartsWith(row.field));
    }
}

// Messages with changed, removed and doubled bytes.
TEST(voice_message, is_read_or_refused_whatever_comes) {
    const std::string seeds[] = {
        R"({"type":"start","messages":[{"role":"user","content":"Grüße"}],"options":{"seed":-1,)"
        R"("json_schema":{"a":[1.5e3,null]}},"conversation":{"resume_grace_ms":1e3}})",
        R"({"type":"interrupt","heard":{"chunk":"12-3","share":0.25}})",
        R"({"type":"heard","chunk":"1-0","chars":18446744073709551615})",
    };
    constexpr std::string_view bytes = "{}[]\":,-0129eE.\\utnfar \xc3\xa9\xff";
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return random() % n; };
    int read = 0;
    for (auto runs = test::random_runs(30'000); runs > 0; --runs) {
        auto text = seeds[below(std::size(seeds))];
        for (auto changes = 1 + below(3); changes > 0; --changes) {
            const auto at = below(text.size());
            const auto what = below(3);
            if (what == 0) text[at] = bytes[below(bytes.size())];
            if (what == 1) text.erase(at, 1 + below(4));
            if (what == 2) text.insert(at, text.substr(below(text.size()), 1 + below(8)));
        }
        const auto message = parse_voice_message(text);
        const auto* why = std::get_if<voice_message_error>(&message);
        read += why == nullptr;
        ASSERT_FALSE(why && why->message.empty()) << text;
    }
    EXPECT_GT(read, 0) << "not all of them are broken";
}

TEST(client_chunk_id, is_read_as_it_is_written) {
    for (const auto& name : {client_chunk_id{1, 0}, client_chunk_id{~0ull, ~0u}})
        EXPECT_EQ(parse_client_chunk_id(to_string(name)), name);
    EXPECT_EQ(to_string(client_chunk_id{12, 3}), "12-3");
}

TEST(voice_protocol, is_found_in_what_a_client_offers) {
    EXPECT_TRUE(offers_voice_protocol("tandem.voice.v1"));
    EXPECT_TRUE(offers_voice_protocol("tandem.voice.v2, \t tandem.voice.v1 ,x"));
    for (const auto* header :
         {"", ",", " , ", "tandem.voice", "tandem.voice.v11", "TANDEM.VOICE.V1"})
        EXPECT_FALSE(offers_voice_protocol(header)) << header;
}

}  // namespace
}  // namespace tandem::gateway
