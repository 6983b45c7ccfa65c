#include "contract/contract_fixture.hpp"

// The server's prompt cache in host memory: when it stores the text of a slot, and when it brings
// the text back.
namespace tandem::testing {
namespace {

class host_memory : public contract {
 protected:
    /// The text of a conversation, as token ids that both models have. Texts of different
    /// conversations differ from the first token.
    static std::vector<int> text_of(int conversation, int tokens) {
        std::vector<int> ids(static_cast<std::size_t>(tokens), 520 + conversation);
        for (std::size_t i = 1; i < ids.size(); i += 2) ids[i] = 540 + static_cast<int>(i % 200);
        return ids;
    }
    /// The first `kept` tokens of the text, followed by 20 tokens that occur in no other text.
    static std::vector<int> changed_after(int kept, std::vector<int> text) {
        text.resize(static_cast<std::size_t>(kept));
        text.insert(text.end(), 20, 519);
        return text;
    }
    /// Runs a request for one token. Returns the number of prompt tokens that were not evaluated.
    int reused(const std::vector<int>& ids, int slot) {
        const auto a = probe().complete({{"prompt", ids},
                                         {"stream", true},
                                         {"n_predict", 1},
                                         {"id_slot", slot},
                                         {"cache_prompt", true}});
        return a->final_event().at("timings").at("cache_n");
    }
    /// Runs conversation 1 on slot 0, and then conversation 2.
    void run_two_conversations(int second_slot) {
        reused(text_of(1, 300), 0);
        reused(text_of(2, 300), second_slot);
    }
    int tokens_in(int slot) {
        const auto slots = probe().get("/slots")->parsed();
        return slots.at(static_cast<std::size_t>(slot)).value("n_prompt_tokens", 0);
    }
    void use(std::vector<std::string> flags, int cache_ram) {
        arguments_ = std::move(flags);
        mock_options_.cache_ram = cache_ram;
    }
};
TANDEM_CONTRACT(host_memory);

TEST_P(host_memory, brings_back_a_conversation_that_another_one_replaced) {
    EXPECT_EQ(reused(text_of(1, 300), 0), 0);
    EXPECT_EQ(reused(text_of(2, 300), 0), 0);
    EXPECT_EQ(reused(text_of(1, 320), 0), 300);
    EXPECT_EQ(reused(text_of(2, 320), 0), 300);
}

TEST_P(host_memory, serves_more_conversations_than_there_are_slots) {
    for (int c = 0; c < 6; ++c) reused(text_of(c, 300), c % 2);
    for (int c = 0; c < 6; ++c) EXPECT_EQ(reused(text_of(c, 310), c % 2), 300) << c;
    for (int c = 0; c < 6; ++c) EXPECT_EQ(reused(text_of(c, 320), (c + 1) % 2), 310) << c;
}

TEST_P(host_memory, is_not_searched_for_an_empty_slot_that_was_requested) {
    run_two_conversations(0);
    EXPECT_EQ(reused(text_of(1, 320), 1), 0);
}

TEST_P(host_memory, is_searched_for_an_empty_slot_that_the_server_chose) {
    run_two_conversations(0);
    EXPECT_EQ(reused(text_of(1, 320), -1), 300);
    EXPECT_EQ(tokens_in(1), 320);
}

TEST_P(host_memory, gets_the_text_of_an_idle_slot_when_a_request_starts) {
    run_two_conversations(1);
    EXPECT_EQ(reused(text_of(1, 320), 1), 300);
    EXPECT_EQ(tokens_in(0), 300);
}

TEST_P(host_memory, gets_the_text_of_an_idle_slot_too_late_for_the_request_that_starts) {
    reused(text_of(2, 300), 1);
    reused(text_of(1, 300), 0);
    EXPECT_EQ(reused(text_of(1, 320), 1), 0);
}

TEST_P(host_memory, gets_a_text_of_which_the_slot_loses_more_than_half) {
    const auto whole = text_of(1, 300);
    reused(whole, 0);
    reused(changed_after(149, whole), 0);
    reused(text_of(2, 300), 0);
    EXPECT_EQ(reused(whole, 0), 299);
}

TEST_P(host_memory, gets_no_text_of_which_the_slot_keeps_half) {
    const auto whole = text_of(1, 300);
    reused(whole, 0);
    reused(changed_after(150, whole), 0);
    reused(text_of(2, 300), 0);
    EXPECT_EQ(reused(whole, 0), 150);
}

TEST_P(host_memory, is_not_searched_for_a_slot_that_keeps_half) {
    const auto whole = text_of(1, 300);
    reused(whole, 0);
    reused(text_of(2, 300), 0);
    reused(changed_after(100, whole), 1);
    EXPECT_EQ(reused(whole, 1), 100);
}

TEST_P(host_memory, wastes_no_text_of_which_less_than_a_quarter_is_common) {
    const auto whole = text_of(1, 400);
    reused(whole, 0);
    reused(text_of(2, 300), 0);
    EXPECT_EQ(reused(changed_after(99, whole), 0), 0);
    EXPECT_EQ(reused(text_of(2, 310), 0), 300);
    EXPECT_EQ(reused(changed_after(100, whole), 0), 100);
}

TEST_P(host_memory, is_searched_for_a_slot_that_is_not_there_whatever_the_wrapped_one_holds) {
    const auto whole = text_of(1, 300);
    reused(whole, 0);
    reused(text_of(2, 300), 0);
    reused(changed_after(100, whole), 1);
    EXPECT_EQ(reused(whole, 3), 299);
}

TEST_P(host_memory, keeps_the_text_of_a_cut_slot) {
    json request = endless(1500);
    request["prompt"] = text_of(1, 300);
    const auto cut = probe().start(request);
    ASSERT_TRUE(probe().wait_for_events(*cut, 3));
    cut->cut();
    ASSERT_TRUE(probe().wait_until([this] { return slot_is_idle(0); }));
    reused(text_of(2, 300), 0);
    EXPECT_EQ(reused(text_of(1, 300), 0), 299);
}

class no_host_memory : public host_memory {
 protected:
    no_host_memory() { use({"--cache-ram", "0"}, 0); }
};
TANDEM_CONTRACT(no_host_memory);

TEST_P(no_host_memory, evaluates_a_replaced_conversation_again) {
    run_two_conversations(0);
    EXPECT_EQ(reused(text_of(1, 320), 0), 0);
    EXPECT_EQ(reused(text_of(1, 320), -1), 319);
}

class small_host_memory : public host_memory {
 protected:
    small_host_memory() { use({"--cache-ram", "1"}, 1); }
};
TANDEM_CONTRACT(small_host_memory);

TEST_P(small_host_memory, drops_its_oldest_text) {
    for (int c : {1, 2, 3, 4}) reused(text_of(c, 300), 0);
    EXPECT_EQ(reused(text_of(1, 320), 0), 0) << "1 was dropped for 3";
    EXPECT_EQ(reused(text_of(4, 320), 0), 300);
}

TEST_P(small_host_memory, takes_no_text_above_its_whole_size) {
    reused(text_of(1, 300), 0);
    reused(text_of(2, 700), 0);
    reused(text_of(3, 300), 0);
    EXPECT_EQ(reused(text_of(2, 700), 0), 0);
    EXPECT_EQ(reused(text_of(1, 300), 0), 299);
}

class host_memory_without_limit : public host_memory {
 protected:
    host_memory_without_limit() { use({"--cache-ram", "-1"}, -1); }
};
TANDEM_CONTRACT(host_memory_without_limit);

TEST_P(host_memory_without_limit, holds_no_more_tokens_than_the_context) {
    for (int c : {1, 2, 3, 4}) reused(text_of(c, 1900), 0);
    EXPECT_EQ(reused(text_of(1, 1910), 0), 0) << "4096 tokens have room for two texts";
    EXPECT_EQ(reused(text_of(4, 1910), 0), 1900);
}

class unified_host_memory : public host_memory {
 protected:
    explicit unified_host_memory(std::vector<std::string> more = {}) {
        more.insert(more.begin(), "--kv-unified");
        use(std::move(more), 8192);
        mock_options_.kv_unified = true;
    }
};
TANDEM_CONTRACT(unified_host_memory);

TEST_P(unified_host_memory, does_not_help_a_requested_slot_that_was_emptied) {
    run_two_conversations(1);
    EXPECT_EQ(tokens_in(0), 0);
    EXPECT_EQ(reused(text_of(1, 320), 0), 0);
}

TEST_P(unified_host_memory, brings_back_a_conversation_if_the_server_chooses_the_slot) {
    run_two_conversations(1);
    EXPECT_EQ(reused(text_of(1, 320), -1), 300);
}

TEST_P(unified_host_memory, brings_back_a_conversation_into_the_slot_that_was_used_last) {
    run_two_conversations(0);
    EXPECT_EQ(reused(text_of(1, 320), 0), 300);
}

class unified_host_memory_that_keeps_idle_slots : public unified_host_memory {
 protected:
    unified_host_memory_that_keeps_idle_slots() : unified_host_memory({"--no-cache-idle-slots"}) {
        mock_options_.cache_idle_slots = false;
    }
};
TANDEM_CONTRACT(unified_host_memory_that_keeps_idle_slots);

TEST_P(unified_host_memory_that_keeps_idle_slots, brings_back_replaced_conversations) {
    run_two_conversations(1);
    reused(text_of(3, 300), 0);
    EXPECT_EQ(reused(text_of(1, 320), 0), 300);
    EXPECT_EQ(reused(text_of(3, 320), 1), 300);
}

TEST_P(unified_host_memory_that_keeps_idle_slots, gets_no_text_of_an_idle_slot) {
    run_two_conversations(1);
    EXPECT_EQ(reused(text_of(1, 320), 1), 0);
    EXPECT_EQ(tokens_in(0), 300);
}

class unified_server_without_host_memory : public unified_host_memory {
 protected:
    unified_server_without_host_memory() : unified_host_memory({"--cache-ram", "0"}) {
        mock_options_.cache_ram = 0;
    }
};
TANDEM_CONTRACT(unified_server_without_host_memory);

TEST_P(unified_server_without_host_memory, keeps_idle_slots) {
    run_two_conversations(1);
    EXPECT_EQ(reused(text_of(1, 320), 0), 300);
}

}  // namespace
}  // namespace tandem::testing
