#include "engine/host_prompt_cache.hpp"

#include "engine_driver.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tandem::mock {
namespace {

using std::chrono::seconds;
using test::engine_driver;
using test::prompt_of;
using test::saying;

using prompt_tokens = std::vector<token_id>;

// The text of a conversation consists of tokens that occur in no other conversation.
prompt_tokens conversation(int number, int tokens) {
    prompt_tokens text(static_cast<std::size_t>(tokens));
    std::iota(text.begin(), text.end(), 10000 * number);
    return text;
}

// The first `kept` tokens of `text`, followed by a token that occurs nowhere else.
prompt_tokens changed_after(int kept, prompt_tokens text) {
    text.resize(static_cast<std::size_t>(kept));
    text.push_back(1);
    return text;
}

slot slot_with(prompt_tokens tokens, int id = 0) {
    slot s;
    s.id = id;
    s.tokens = std::move(tokens);
    return s;
}

options with_cache_ram(int mib, options o = {}) {
    o.cache_ram = mib;
    return o;
}

TEST(must_search_host_cache, if_a_slot_would_lose_more_than_half_of_its_tokens) {
    const slot s = slot_with(conversation(1, 300));
    EXPECT_FALSE(must_search_host_cache(s, 0, changed_after(150, s.tokens)));
    EXPECT_TRUE(must_search_host_cache(s, 0, changed_after(149, s.tokens)));
    EXPECT_TRUE(must_search_host_cache(s, 0, conversation(2, 300)));
}

TEST(must_search_host_cache, if_a_slot_holds_at_most_a_tenth_of_the_prompt) {
    const prompt_tokens prompt = conversation(1, 200);
    EXPECT_TRUE(must_search_host_cache(slot_with(conversation(1, 20)), 0, prompt));
    EXPECT_FALSE(must_search_host_cache(slot_with(conversation(1, 21)), 0, prompt));
}

TEST(must_search_host_cache, for_an_empty_slot_only_without_a_requested_slot) {
    EXPECT_FALSE(must_search_host_cache(slot_with({}), 0, conversation(1, 10)));
    EXPECT_TRUE(must_search_host_cache(slot_with({}), -1, conversation(1, 10)));
}

TEST(must_search_host_cache, for_a_wrapped_slot_whatever_it_holds) {
    const slot s = slot_with(conversation(1, 300));
    EXPECT_FALSE(must_search_host_cache(s, 0, s.tokens));
    EXPECT_TRUE(must_search_host_cache(s, 2, s.tokens));
}

TEST(host_prompt_cache, moves_a_saved_text_into_another_slot_with_its_checkpoints) {
    host_prompt_cache cache(options{});
    slot a = slot_with(conversation(1, 300));
    a.checkpoints = {100, 296};
    EXPECT_TRUE(cache.save(a));
    slot b = slot_with(conversation(2, 300));
    EXPECT_TRUE(cache.load(b, conversation(1, 320)));
    EXPECT_EQ(b.tokens, a.tokens);
    EXPECT_EQ(b.checkpoints, a.checkpoints);
    EXPECT_EQ(cache.copies(), 0u);
}

TEST(host_prompt_cache, saves_no_text_that_it_holds_already) {
    host_prompt_cache cache(options{});
    EXPECT_TRUE(cache.save(slot_with(conversation(1, 300))));
    EXPECT_FALSE(cache.save(slot_with(conversation(1, 300))));
    EXPECT_FALSE(cache.save(slot_with(conversation(1, 299))));
    EXPECT_FALSE(cache.save(slot_with({})));
}

TEST(host_prompt_cache, replaces_the_beginning_of_a_text_by_the_text) {
    host_prompt_cache cache(options{});
    cache.save(slot_with(conversation(1, 200)));
    EXPECT_TRUE(cache.save(slot_with(conversation(1, 300))));
    EXPECT_EQ(cache.copies(), 1u);
    cache.save(slot_with(changed_after(250, conversation(1, 300))));
    EXPECT_EQ(cache.copies(), 2u);
}

TEST(host_prompt_cache, loads_the_copy_that_has_most_of_the_prompt) {
    host_prompt_cache cache(options{});
    const prompt_tokens text = conversation(1, 300);
    cache.save(slot_with(changed_after(200, text)));
    cache.save(slot_with(text));
    slot s = slot_with({});
    EXPECT_TRUE(cache.load(s, conversation(1, 320)));
    EXPECT_EQ(s.tokens, text);
}

TEST(host_prompt_cache, loads_nothing_that_loses_more_of_itself_than_the_slot_does) {
    host_prompt_cache cache(options{});
    cache.save(slot_with(changed_after(250, conversation(1, 300))));
    slot s = slot_with(conversation(1, 30));
    EXPECT_FALSE(cache.load(s, conversation(1, 320)));
    EXPECT_EQ(s.tokens.size(), 30u);
}

TEST(host_prompt_cache, wastes_no_copy_of_which_less_than_a_quarter_is_common) {
    host_prompt_cache cache(options{});
    const prompt_tokens text = conversation(1, 400);
    cache.save(slot_with(text));
    slot s = slot_with(conversation(2, 300));
    EXPECT_FALSE(cache.load(s, changed_after(99, text)));
    EXPECT_TRUE(cache.load(s, changed_after(100, text)));
}

TEST(host_prompt_cache, drops_the_oldest_copies_if_there_is_no_room) {
    host_prompt_cache cache(with_cache_ram(1));
    for (int i : {1, 2, 3}) cache.save(slot_with(conversation(i, 300)));
    EXPECT_EQ(cache.copies(), 2u);
    slot s = slot_with({});
    EXPECT_FALSE(cache.load(s, conversation(1, 301)));
    EXPECT_TRUE(cache.load(s, conversation(2, 301)));
}

TEST(host_prompt_cache, takes_no_text_above_its_whole_size) {
    host_prompt_cache cache(with_cache_ram(1));
    cache.save(slot_with(conversation(1, 300)));
    EXPECT_FALSE(cache.save(slot_with(conversation(2, 700))));
    EXPECT_EQ(cache.copies(), 1u);
    EXPECT_TRUE(cache.save(slot_with(conversation(3, 650))));
}

TEST(host_prompt_cache, holds_the_tokens_of_the_context_without_a_limit_in_mebibytes) {
    host_prompt_cache cache(with_cache_ram(-1, {.ctx_size = 1000}));
    for (int i : {1, 2, 3, 4}) cache.save(slot_with(conversation(i, 300)));
    EXPECT_EQ(cache.copies(), 4u);
    cache.drop_copies_beyond_context();
    EXPECT_EQ(cache.copies(), 3u);
}

completion_request request_for(prompt_tokens text, int id_slot) {
    completion_request r = prompt_of(0, id_slot);
    r.prompt = std::move(text);
    return r;
}

// Runs a request to its end. Returns the number of prompt tokens that the request reused.
int reused(engine_driver& d, prompt_tokens text, int id_slot) {
    const task_id id = d.submit(request_for(std::move(text), id_slot));
    d.run_for(seconds(60));
    return d.record(id).cached;
}

// Runs conversation 1 on slot 0, and then conversation 2.
void run_two_conversations(engine_driver& d, int second_slot) {
    reused(d, conversation(1, 300), 0);
    reused(d, conversation(2, 300), second_slot);
}

TEST(engine, brings_back_a_conversation_that_another_one_replaced) {
    engine_driver d(saying(3));
    EXPECT_EQ(reused(d, conversation(1, 300), 0), 0);
    EXPECT_EQ(reused(d, conversation(2, 300), 0), 0);
    EXPECT_EQ(reused(d, conversation(1, 320), 0), 300);
    EXPECT_EQ(reused(d, conversation(2, 320), 0), 300);
}

TEST(engine, evaluates_a_replaced_conversation_again_without_host_memory) {
    engine_driver d(with_cache_ram(0, saying(3)));
    run_two_conversations(d, 0);
    EXPECT_EQ(reused(d, conversation(1, 320), 0), 0);
}

TEST(engine, brings_no_conversation_back_into_an_empty_slot_that_was_requested) {
    engine_driver d(saying(3));
    run_two_conversations(d, 0);
    EXPECT_EQ(reused(d, conversation(1, 320), 1), 0);
}

TEST(engine, brings_a_conversation_back_into_an_empty_slot_of_its_choice) {
    engine_driver d(saying(3));
    run_two_conversations(d, 0);
    EXPECT_EQ(reused(d, conversation(1, 320), -1), 300);
}

TEST(engine, copies_idle_slots_for_later_requests_when_a_request_starts) {
    engine_driver d(saying(3));
    run_two_conversations(d, 1);
    EXPECT_EQ(reused(d, conversation(1, 320), 1), 300);
    EXPECT_EQ(d.slot(0).tokens, 303) << "it keeps its text";
}

TEST(engine, copies_no_idle_slot_if_told_not_to) {
    options o = saying(3);
    o.cache_idle_slots = false;
    engine_driver d(o);
    run_two_conversations(d, 1);
    EXPECT_EQ(reused(d, conversation(1, 320), 1), 0);
}

TEST(engine, copies_an_idle_slot_too_late_for_the_request_that_starts) {
    engine_driver d(saying(3));
    reused(d, conversation(2, 300), 1);
    reused(d, conversation(1, 300), 0);
    EXPECT_EQ(reused(d, conversation(1, 320), 1), 0);
}

options with_unified_cache(int mib) {
    options o = with_cache_ram(mib, saying(3));
    o.kv_unified = true;
    return o;
}

TEST(engine, brings_back_a_conversation_into_the_unified_slot_that_was_used_last) {
    engine_driver d(with_unified_cache(8192));
    run_two_conversations(d, 0);
    EXPECT_EQ(reused(d, conversation(1, 320), 0), 300);
}

TEST(engine, brings_back_an_emptied_slots_text_for_a_request_without_a_slot) {
    engine_driver d(with_unified_cache(8192));
    run_two_conversations(d, 1);
    EXPECT_EQ(reused(d, conversation(1, 320), 0), 0);
    EXPECT_EQ(reused(d, conversation(2, 320), -1), 300);
}

TEST(engine, keeps_idle_slots_of_a_unified_context_without_host_memory) {
    engine_driver d(with_unified_cache(0));
    run_two_conversations(d, 1);
    EXPECT_EQ(reused(d, conversation(1, 320), 0), 300);
}

TEST(engine, empties_idle_unified_slots_for_a_prompt_that_it_refuses) {
    options o = with_unified_cache(8192);
    o.ctx_size = 1000;
    engine_driver d(o);
    reused(d, conversation(1, 300), 0);
    reused(d, conversation(2, 1000), 1);
    EXPECT_EQ(d.slot(0).tokens, 0);
}

}  // namespace
}  // namespace tandem::mock
