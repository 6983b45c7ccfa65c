#include "contract/contract_fixture.hpp"

#include <set>

// The contents of a /completion stream.
namespace tandem::testing {
namespace {

class completion_contract : public contract {};
TANDEM_CONTRACT(completion_contract);

std::set<std::string> keys_of(const json& object) {
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    return keys;
}

// The events that carry tokens: all but the last one.
std::vector<json> partial_events(const running_answer& a) {
    return {a.events().begin(), a.events().end() - 1};
}

TEST_P(completion_contract, a_dialogue_comes_word_for_word) {
    for (const char* name : {"soup-recipe", "emoji", "chinese", "timer", "timer/2"}) {
        const auto& turn = talk_turn_of(name);
        EXPECT_EQ(probe().complete(request_for(turn))->text(), turn.reply) << name;
    }
}

TEST_P(completion_contract, partial_events_have_these_fields) {
    const auto a = probe().complete(endless(3));
    ASSERT_EQ(a->events().size(), 4u);
    for (const auto& e : partial_events(*a)) {
        const std::set<std::string> expected{
            "index",   "content",          "tokens",          "stop",
            "id_slot", "tokens_predicted", "tokens_evaluated"};
        EXPECT_EQ(keys_of(e), expected);
        EXPECT_EQ(e.at("stop"), false);
        EXPECT_EQ(e.at("id_slot"), -1) << "only the final event names the slot";
        EXPECT_EQ(e.at("tokens").size(), 1u);
    }
}

TEST_P(completion_contract, tokens_are_reported_without_being_asked_for) {
    auto request = endless(3);
    request.erase("return_tokens");
    const auto a = probe().complete(request);
    for (const auto& e : partial_events(*a)) EXPECT_EQ(e.at("tokens").size(), 1u);
}

TEST_P(completion_contract, tokens_predicted_counts_them) {
    const auto a = probe().complete(endless(40));
    int predicted = 0;
    for (const auto& e : partial_events(*a)) {
        EXPECT_GT(e.at("tokens_predicted"), predicted);
        predicted = e.at("tokens_predicted");
    }
    EXPECT_EQ(a->final_event().at("tokens_predicted"), 40);
}

TEST_P(completion_contract, tokens_evaluated_is_the_length_of_the_whole_prompt) {
    const auto request = endless(3);
    const auto tokens = probe().post("/tokenize", {{"content", request.at("prompt")}})->parsed();
    probe().complete(request);
    const auto again = probe().complete(request);
    for (const auto& e : again->events())
        EXPECT_EQ(e.at("tokens_evaluated"), tokens.at("tokens").size());
}

TEST_P(completion_contract, timings_are_reported_with_each_token_if_asked_for) {
    auto request = endless(3, 1);
    request["timings_per_token"] = true;
    const auto a = probe().complete(request);
    for (const auto& e : a->events()) {
        const auto& timings = e.at("timings");
        EXPECT_EQ(timings.at("cache_n"), 0);
        EXPECT_EQ(timings.at("prompt_n"), e.at("tokens_evaluated"));
        EXPECT_EQ(timings.at("predicted_n"), e.at("tokens_predicted"));
        EXPECT_TRUE(timings.at("prompt_ms").is_number());
        EXPECT_TRUE(timings.at("predicted_ms").is_number());
    }
}

TEST_P(completion_contract, progress_reports_what_was_cached_before_the_first_token_if_asked_for) {
    auto request = endless(3, 1);
    request["return_progress"] = true;
    probe().complete(request);
    const auto again = probe().complete(request);
    const auto& events = again->events();
    std::size_t tokens_begin = 0;
    while (events.at(tokens_begin).contains("prompt_progress")) ++tokens_begin;
    ASSERT_GT(tokens_begin, 0u);
    const auto& all = again->final_event().at("timings");
    const auto& progress = events.at(tokens_begin - 1).at("prompt_progress");
    EXPECT_EQ(progress.at("cache"), all.at("cache_n"));
    EXPECT_EQ(progress.at("processed"), progress.at("total"));
    EXPECT_EQ(progress.at("total"), all.at("cache_n").get<int>() + all.at("prompt_n").get<int>());
    EXPECT_FALSE(events.at(tokens_begin).contains("timings"));
}

TEST_P(completion_contract, the_final_event_tells_slot_and_reason) {
    const auto a = probe().complete(endless(3, 1));
    const auto& last = a->final_event();
    EXPECT_EQ(last.at("stop"), true);
    EXPECT_EQ(last.at("stop_type"), "limit");
    EXPECT_EQ(last.at("id_slot"), 1);
    EXPECT_EQ(last.at("content"), "");
    EXPECT_EQ(last.at("tokens"), json::array());
    EXPECT_EQ(last.at("truncated"), false);
    EXPECT_EQ(last.at("tokens_cached"), last.at("tokens_evaluated").get<int>() + 3 - 1);
    EXPECT_TRUE(last.contains("timings"));
    EXPECT_TRUE(last.contains("prompt")) << "response_fields may exclude it";
}

TEST_P(completion_contract, the_final_event_can_be_kept_small) {
    auto request = endless(3);
    request["response_fields"] = {"stop", "stop_type", "tokens_predicted"};
    const auto a = probe().complete(request);
    EXPECT_EQ(a->final_event(),
              json({{"stop", true}, {"stop_type", "limit"}, {"tokens_predicted", 3}}));
    EXPECT_TRUE(a->events().front().contains("tokens"))
        << "response_fields affects only the final event";
}

TEST_P(completion_contract, the_end_token_has_an_event_without_text) {
    const auto a = probe().complete(request_for(talk_turn_of("yes")));
    const auto eos = probe()
                         .post("/tokenize", {{"content", "<|im_end|>"}, {"parse_special", true}})
                         ->parsed()
                         .at("tokens");
    ASSERT_GE(a->events().size(), 2u);
    const auto& before_last = a->events().at(a->events().size() - 2);
    EXPECT_EQ(before_last.at("content"), "");
    EXPECT_EQ(before_last.at("tokens"), eos);
    EXPECT_EQ(a->final_event().at("stop_type"), "eos");
}

TEST_P(completion_contract, the_stream_ends_with_the_final_event) {
    const auto a = probe().complete(endless(3));
    EXPECT_FALSE(a->error());
    EXPECT_TRUE(a->final_event().is_object()) << "and not with [DONE]";
}

TEST_P(completion_contract, a_stop_word_is_withheld_and_ends_the_reply) {
    const auto& turn = talk_turn_of("soup-recipe");
    auto request = request_for(turn);
    const std::string word = turn.reply.substr(turn.reply.find(". "), 6);
    request["stop"] = {word};
    const auto a = probe().complete(request);
    EXPECT_EQ(a->text(), turn.reply.substr(0, turn.reply.find(word)));
    EXPECT_EQ(a->final_event().at("stop_type"), "word");
    EXPECT_EQ(a->final_event().at("stopping_word"), word);
}

TEST_P(completion_contract, what_might_become_a_stop_word_is_withheld_with_events) {
    const auto& turn = talk_turn_of("soup-recipe");
    auto request = request_for(turn);
    // The text never contains the stop word, but the server withholds each full stop, which may
    // begin it.
    request["stop"] = {". \x01"};
    const auto a = probe().complete(request);
    EXPECT_EQ(a->text(), turn.reply);
    int withheld = 0;
    for (const auto& e : partial_events(*a)) {
        EXPECT_EQ(e.at("tokens").size(), 1u);
        if (e.at("content") == "") ++withheld;
    }
    EXPECT_GT(withheld, 3);
}

TEST_P(completion_contract, the_tokens_before_a_whole_character_have_no_event) {
    const auto a = probe().complete(request_for(talk_turn_of("emoji")));
    int jumps = 0, before = 0;
    for (const auto& e : partial_events(*a)) {
        const int predicted = e.at("tokens_predicted");
        if (predicted > before + 1) {
            ++jumps;
            EXPECT_EQ(e.at("tokens").size(), 1u) << "only the last id is sent";
            EXPECT_NE(e.at("content"), "");
        }
        before = predicted;
    }
    EXPECT_GT(jumps, 0);
}

TEST_P(completion_contract, a_reply_continues_from_its_ids) {
    const auto& turn = talk_turn_of("soup-recipe");
    auto ids = probe().post("/tokenize", {{"content", turn.prompt}})->parsed().at("tokens");
    auto request = request_for(turn);
    request["n_predict"] = 30;
    const auto first = probe().complete(request);
    for (const auto& e : partial_events(*first)) ids.push_back(e.at("tokens").at(0));
    auto next = request_for(turn);
    next["prompt"] = ids;
    EXPECT_EQ(first->text() + probe().complete(next)->text(), turn.reply);
}

TEST_P(completion_contract, a_prompt_may_mix_text_and_ids) {
    const auto& turn = talk_turn_of("yes");
    const auto middle = turn.prompt.rfind("<|im_start|>");
    const auto head = turn.prompt.substr(0, middle);
    auto prompt = json::array({head});
    const auto tail =
        probe().post("/tokenize", {{"content", turn.prompt.substr(middle)}})->parsed();
    for (const auto& id : tail.at("tokens")) prompt.push_back(id);
    auto request = request_for(turn);
    request["prompt"] = prompt;
    EXPECT_EQ(probe().complete(request)->text(), turn.reply);
}

TEST_P(completion_contract, no_tokens_asked_for_is_one) {
    const auto a = probe().complete(endless(0));
    EXPECT_EQ(a->final_event().at("tokens_predicted"), 1);
}

TEST_P(completion_contract, an_empty_prompt_is_complete_at_once) {
    const auto a = probe().complete({{"prompt", ""}, {"stream", true}});
    EXPECT_EQ(a->status(), 200);
    EXPECT_EQ(a->final_event().at("tokens_evaluated"), 0);
}

TEST_P(completion_contract, a_full_context_ends_the_reply_as_truncated) {
    auto request = endless(-1);
    request["prompt"] = std::vector<int>(2040, 'a');
    const auto a = probe().complete(request);
    EXPECT_EQ(a->final_event().at("stop_type"), "limit");
    EXPECT_EQ(a->final_event().at("truncated"), true);
}

}  // namespace
}  // namespace tandem::testing
