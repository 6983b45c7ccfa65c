#include "tandem_mock/server.hpp"

#include "mock_server/raw_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using nlohmann::json;

options talking() {
    options o;
    o.replies = {{"Hi", " there! How are you?"}};
    return o;
}

TEST(server, streams_a_reply_and_ends_it_with_a_final_event) {
    server s(talking());
    const auto a = test::post(s.port(), "/completion", {{"prompt", "Hi"}, {"stream", true}});
    EXPECT_EQ(a.status, 200);
    EXPECT_TRUE(a.is_whole);
    const auto events = test::events_of(a.body);
    ASSERT_FALSE(events.empty()) << a.head << a.body;
    EXPECT_EQ(test::content_of(events), " there! How are you?");
    EXPECT_TRUE(events.back()["stop"].get<bool>());
    EXPECT_EQ(events.back()["stop_type"], "eos");
}

TEST(server, tells_its_slots_and_context_in_props) {
    server s({.parallel = 4, .ctx_size = 4096});
    const json props = json::parse(test::get(s.port(), "/props").body);
    EXPECT_EQ(props["total_slots"], 4);
    EXPECT_EQ(props["default_generation_settings"]["n_ctx"], 1024);
}

TEST(server, has_text_and_ids_of_tokens_agree) {
    server s({});
    const json content{{"content", "Hello, world! Grüße."}, {"add_special", true}};
    const json tokens = json::parse(test::post(s.port(), "/tokenize", content).body);
    const json text = json::parse(test::post(s.port(), "/detokenize", tokens).body);
    EXPECT_EQ(text["content"], "<|endoftext|>Hello, world! Grüße.");
}

TEST(server, applies_the_chat_template) {
    server s({});
    const json messages{{"messages", {{{"role", "user"}, {"content", "Hi"}}}}};
    const json prompt = json::parse(test::post(s.port(), "/apply-template", messages).body);
    EXPECT_EQ(prompt["prompt"], "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST(server, shows_a_running_slot_as_processing) {
    server s({.tokens_per_second = 20});
    test::raw_client c(s.port());
    c.post("/completion", {{"prompt", "Hi"}, {"stream", true}, {"id_slot", 1}});
    c.read_events(1);
    const json slots = json::parse(test::get(s.port(), "/slots").body);
    EXPECT_FALSE(slots[0]["is_processing"].get<bool>());
    EXPECT_TRUE(slots[1]["is_processing"].get<bool>());
}

TEST(server, dies_when_a_cut_slot_is_used_again_too_soon) {
    options o = talking();
    o.tokens_per_second = 50;
    o.crash_within = std::chrono::hours(1);
    server s(o);
    test::raw_client first(s.port());
    first.post("/completion", {{"prompt", "Hi"}, {"stream", true}, {"id_slot", 0}});
    first.read_events(2);
    first.close();
    test::raw_client second(s.port());
    second.post("/completion", {{"prompt", "Hi there"}, {"stream", true}, {"id_slot", 0}});
    EXPECT_EQ(second.read_end(), test::ending::reset);
    EXPECT_TRUE(s.wait_until([](const observations& seen) { return seen.crashed; }));
}

}  // namespace
}  // namespace tandem::mock
