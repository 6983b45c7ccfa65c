#include "contract/contract_fixture.hpp"

#include "tandem/service.hpp"

#include <iostream>
#include <string>

// What a slot holds after a request for one token and after a cut, and when the slot loses it.
namespace tandem::testing {
namespace {

class prefill_contract : public contract {
 protected:
    json ids_of(const talk_turn& turn) {
        return probe().post("/tokenize", {{"content", turn.prompt}})->parsed().at("tokens");
    }
    /// A request with all of these ids except the last. It generates one token, which is discarded.
    static json prefill_of(json ids, int slot) {
        ids.erase(ids.size() - 1);
        return {{"prompt", ids}, {"stream", true}, {"n_predict", 1}, {"id_slot", slot}};
    }
    static json request_of(const talk_turn& turn, const json& ids, int slot) {
        auto request = request_for(turn, slot);
        request["prompt"] = ids;
        return request;
    }
    std::size_t held_by(int slot) {
        EXPECT_TRUE(probe().wait_until([&] { return slot_is_idle(slot); }));
        const auto slots = probe().get("/slots")->parsed();
        return slots.at(static_cast<std::size_t>(slot)).at("n_prompt_tokens").get<std::size_t>();
    }
    /// Expects that a request with these ids finds all but the last id in its slot.
    void expect_one_evaluated(const talk_turn& turn, const json& ids, int slot) {
        const auto a = probe().complete(request_of(turn, ids, slot));
        EXPECT_EQ(a->events().front().at("timings").at("cache_n"), ids.size() - 1);
        EXPECT_EQ(a->events().front().at("timings").at("prompt_n"), 1);
        EXPECT_EQ(a->final_event().at("id_slot"), slot);
        EXPECT_EQ(a->text(), turn.reply);
    }
    /// The number of prompt tokens that slot 0 still holds after a request on slot 1.
    int cached_after_a_hop() {
        const auto& turn = talk_turn_of("yes");
        probe().complete(request_for(turn, 0));
        probe().complete(endless(2, 1));
        return probe().complete(request_for(turn, 0))->final_event().at("timings").at("cache_n");
    }
};
TANDEM_CONTRACT(prefill_contract);

TEST_P(prefill_contract, a_request_for_one_token_leaves_its_prompt_in_the_slot_and_no_more) {
    const auto ids = ids_of(talk_turn_of("soup-recipe"));
    for (int n_predict : {0, 1}) {
        auto prefill = prefill_of(ids, n_predict);
        prefill["n_predict"] = n_predict;
        const auto a = probe().complete(prefill);
        EXPECT_EQ(a->final_event().at("tokens_predicted"), 1);
        EXPECT_EQ(a->final_event().at("tokens_cached"), ids.size() - 1);
        EXPECT_EQ(held_by(n_predict), ids.size() - 1);
    }
}

TEST_P(prefill_contract, the_whole_prompt_after_it_evaluates_one_token) {
    const auto& turn = talk_turn_of("soup-recipe");
    const auto ids = ids_of(turn);
    probe().complete(prefill_of(ids, 0));
    expect_one_evaluated(turn, ids, 0);
}

TEST_P(prefill_contract, the_other_slot_is_prefilled_as_well) {
    const auto& turn = talk_turn_of("soup-recipe");
    const auto ids = ids_of(turn);
    const auto first = probe().start(request_of(turn, ids, 0));
    ASSERT_TRUE(probe().wait_for_events(*first, 5));
    first->cut();
    probe().complete(prefill_of(ids, 1));
    expect_one_evaluated(turn, ids, 1);
}

TEST_P(prefill_contract, a_slot_takes_several_in_a_row) {
    const auto& turn = talk_turn_of("soup-recipe");
    const auto ids = ids_of(turn);
    json begun(ids.begin(), ids.begin() + 10);
    probe().complete(prefill_of(begun, 0));
    const auto a = probe().complete(prefill_of(ids, 0));
    EXPECT_EQ(a->final_event().at("timings").at("cache_n"), begun.size() - 1);
    expect_one_evaluated(turn, ids, 0);
}

TEST_P(prefill_contract, a_cut_slot_holds_at_least_what_was_read_before_the_last_token) {
    const auto& turn = talk_turn_of("soup-recipe");
    const auto ids = ids_of(turn);
    const auto a = probe().start(request_of(turn, ids, 0));
    ASSERT_TRUE(probe().wait_for_events(*a, 5));
    a->cut();
    EXPECT_GE(held_by(0), ids.size() + a->events().size() - 1);
}

TEST_P(prefill_contract, a_slot_keeps_its_tokens_while_the_other_one_works) {
    EXPECT_GT(cached_after_a_hop(), 0);
}

class unified_server : public prefill_contract {
 protected:
    unified_server() {
        arguments_ = {"--kv-unified"};
        mock_options_.kv_unified = true;
    }
};
TANDEM_CONTRACT(unified_server);

TEST_P(unified_server, reports_the_whole_context_for_each_slot) {
    const auto props = probe().get("/props")->parsed();
    EXPECT_EQ(props.at("default_generation_settings").at("n_ctx"), 4096);
    for (const auto& slot : probe().get("/slots")->parsed()) EXPECT_EQ(slot.at("n_ctx"), 4096);
}

TEST_P(unified_server, empties_a_slot_when_the_other_one_gets_a_request) {
    EXPECT_EQ(cached_after_a_hop(), 0);
}

TEST_P(unified_server, reports_that_a_slot_was_emptied) {
    probe().complete(endless(5, 0));
    EXPECT_GT(held_by(0), 5u);
    probe().complete(endless(5, 1));
    EXPECT_EQ(held_by(0), 0u);
}

TEST_P(unified_server, keeps_the_slot_that_continues) {
    const auto& turn = talk_turn_of("soup-recipe");
    const auto ids = ids_of(turn);
    probe().complete(prefill_of(ids, 0));
    expect_one_evaluated(turn, ids, 0);
}

class unified_server_that_keeps_idle_slots : public prefill_contract {
 protected:
    unified_server_that_keeps_idle_slots() {
        arguments_ = {"--kv-unified", "--no-cache-idle-slots"};
        mock_options_.kv_unified = true;
        mock_options_.cache_idle_slots = false;
    }
};
TANDEM_CONTRACT(unified_server_that_keeps_idle_slots);

TEST_P(unified_server_that_keeps_idle_slots, does_so) {
    EXPECT_GT(cached_after_a_hop(), 0);
}

TEST_P(prefill_contract, words_heard_early_leave_little_to_evaluate_for_the_reply) {
    service_config c;
    c.servers = {url()};
    c.client = client_config();
    service bots(loop().ioc.get_executor(), c, kept_log());
    auto talk = bots.create();
    std::string words;
    for (const auto* more :
         {"Good evening, I would like to ask whether you have a quiet table for four people ",
          "on Friday at about eight, because we are coming from the theatre, and my mother ",
          "would love to sit at the window, and one of us does not eat any meat at all"}) {
        words += more;
        const auto before = loop().state_of(talk).metrics.prefilled;
        talk.hearing(words);
        ASSERT_TRUE(
            loop().run_until([&] { return loop().state_of(talk).metrics.prefilled > before; }));
    }
    consumer answer(talk.say(words));
    ASSERT_TRUE(loop().run_to_end(answer));
    const auto& usage = answer.result().usage;
    std::cout << "evaluated after " << usage.prompt << " tokens: " << usage.evaluated << '\n';
    EXPECT_LE(usage.evaluated, 15);
    EXPECT_LE(loop().state_of(talk).metrics.prefilled + usage.evaluated, usage.prompt * 115 / 100);
}

}  // namespace
}  // namespace tandem::testing
