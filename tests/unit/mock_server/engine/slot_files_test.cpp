#include "engine/slot_files.hpp"

#include "engine_driver.hpp"
#include "http/slot_action.hpp"
#include "tandem_mock/server.hpp"
#include "unit/mock_server/raw_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::engine_driver;
using test::prompt_of;

slot holding(std::vector<token_id> tokens, std::vector<int> checkpoints = {}) {
    slot s;
    s.tokens = std::move(tokens);
    s.checkpoints = std::move(checkpoints);
    return s;
}

json answer_to(const engine_driver& d, task_id id) {
    return json::parse(d.outputs_of(id).at(0).payload);
}

// File names.

TEST(slot_files, have_names_that_the_server_takes) {
    for (const std::string& name :
         {std::string("a.bin"), std::string(".hidden"), std::string("a b"), std::string("-rf"),
          std::string("ü"), std::string(255, 'x')})
        EXPECT_TRUE(is_file_name(name)) << name;
    for (const std::string& name :
         {std::string(), std::string("."), std::string(".."), std::string("a..b"),
          std::string("a."), std::string(" a"), std::string("a "), std::string("a/b"),
          std::string("a\\b"), std::string("a:b"), std::string("a*b"), std::string("a\tb"),
          std::string("a\x7F"), std::string(256, 'x')})
        EXPECT_FALSE(is_file_name(name)) << name;
}

// File contents.

TEST(slot_files, give_tokens_and_checkpoints_to_any_slot) {
    slot_files files;
    EXPECT_TRUE(files.save("a", holding({1, 2, 3}, {2})));
    auto other = holding({7, 8, 9, 10});
    EXPECT_TRUE(files.restore("a", other));
    EXPECT_EQ(other.tokens, (std::vector<token_id>{1, 2, 3}));
    EXPECT_EQ(other.checkpoints, (std::vector<int>{2}));
}

TEST(slot_files, are_replaced_by_files_of_the_same_name) {
    slot_files files;
    files.save("a", holding({1, 2, 3}));
    files.save("a", holding({4}));
    slot s;
    files.restore("a", s);
    EXPECT_EQ(s.tokens, (std::vector<token_id>{4}));
}

TEST(slot_files, that_are_not_there_empty_the_slot) {
    auto s = holding({1, 2}, {1});
    EXPECT_FALSE(slot_files().restore("a", s));
    EXPECT_TRUE(s.tokens.empty() && s.checkpoints.empty());
}

TEST(slot_files, have_a_bound) {
    slot_files files;
    for (std::size_t i = 0; i < slot_files::max_files; ++i)
        EXPECT_TRUE(files.save(std::to_string(i), holding({1})));
    EXPECT_FALSE(files.save("one more", holding({1})));
    EXPECT_TRUE(files.save("0", holding({2})));
}

TEST(slot_files, are_as_large_as_those_of_the_talk_model) {
    EXPECT_EQ(file_size(0), 40);
    EXPECT_EQ(file_size(26), 40480);
    EXPECT_EQ(file_size(1925), 2987728);
}

// The engine.

TEST(slot_files, copy_a_slot_to_another) {
    engine_driver d(test::saying(10));
    d.submit(prompt_of(50, 0));
    d.run_for(seconds(1));
    EXPECT_EQ(answer_to(d, d.save(0, "a.bin")), json({{"id_slot", 0},
                                                      {"filename", "a.bin"},
                                                      {"n_saved", 60},
                                                      {"n_written", file_size(60)},
                                                      {"timings", {{"save_ms", 0.0}}}}));
    EXPECT_EQ(answer_to(d, d.restore(1, "a.bin")), json({{"id_slot", 1},
                                                         {"filename", "a.bin"},
                                                         {"n_restored", 60},
                                                         {"n_read", file_size(60)},
                                                         {"timings", {{"restore_ms", 0.0}}}}));
    EXPECT_EQ(d.slot(1).tokens, 60);
    const auto next = d.submit(prompt_of(50, 1));
    EXPECT_EQ(d.record(next).cached, 49);
}

TEST(slot_files, of_a_slot_that_was_never_used_are_empty) {
    engine_driver d(test::saying(10));
    EXPECT_EQ(answer_to(d, d.save(0, "a"))["n_saved"], 0);
    EXPECT_EQ(answer_to(d, d.restore(1, "a"))["n_restored"], 0);
}

TEST(slot_files, wait_for_a_busy_slot_and_for_no_other) {
    engine_driver d(test::timed(10));
    d.submit(prompt_of(50, 1));
    const task_id busy = d.save(1, "busy"), idle = d.save(0, "idle");
    d.run_for(milliseconds(60));
    EXPECT_EQ(answer_to(d, idle)["n_saved"], 0);
    EXPECT_TRUE(d.outputs_of(busy).empty());
    d.run_for(seconds(1));
    EXPECT_EQ(answer_to(d, busy)["n_saved"], 60);
}

// According to measurements, llama-server examines only one waiting task when a slot is released.
TEST(slot_files, of_one_busy_slot_wait_for_one_release_each) {
    engine_driver d(test::timed(10));
    d.submit(prompt_of(50, 1));
    const task_id saved = d.save(1, "busy"), missing = d.restore(1, "nothing");
    d.run_for(seconds(1));
    EXPECT_FALSE(d.outputs_of(saved).empty());
    EXPECT_TRUE(d.outputs_of(missing).empty());
    d.submit(prompt_of(2, 0));
    d.run_for(seconds(1));
    EXPECT_EQ(d.outputs_of(missing).at(0).status, 400);
    EXPECT_EQ(d.slot(1).tokens, 0);
}

TEST(slot_files, bring_a_model_that_cannot_roll_back_its_checkpoints) {
    auto o = test::saying(10);
    o.memory = memory_kind::recurrent;
    engine_driver d(o);
    d.submit(prompt_of(600, 0));
    d.run_for(seconds(1));
    d.save(0, "a");
    d.restore(1, "a");
    EXPECT_EQ(d.record(d.submit(prompt_of(600, 1))).cached, 596);
}

// The requests.

std::string outcome_of(const std::string& target_id, const std::string& query,
                       const std::string& body, bool allowed = true) {
    http_request r;
    r.method = "POST";
    r.path = "/slots/" + target_id;
    r.query = query;
    r.body = body;
    const auto parsed = parse_slot_action(r, allowed);
    if (const auto* error = std::get_if<api_error>(&parsed))
        return std::to_string(error->status) + " " + error->message;
    const auto& a = std::get<slot_action>(parsed);
    return std::to_string(static_cast<int>(a.kind)) + " " + std::to_string(a.id_slot) + " " +
           a.file;
}

TEST(slot_action, names_slot_and_file) {
    const auto kind = [](task_kind k) { return std::to_string(static_cast<int>(k)); };
    const auto* file = R"({"filename":"a.bin"})";
    EXPECT_EQ(outcome_of("0", "action=save", file), kind(task_kind::save) + " 0 a.bin");
    EXPECT_EQ(outcome_of("7", "action=restore", file), kind(task_kind::restore) + " 7 a.bin");
    EXPECT_EQ(outcome_of("-1", "action=erase", ""), kind(task_kind::erase) + " -1 ");
}

TEST(slot_action, is_refused_as_the_server_does) {
    const auto* file = R"({"filename":"a.bin"})";
    EXPECT_EQ(outcome_of("x", "action=save", file), "400 Invalid slot ID");
    EXPECT_EQ(outcome_of("0", "action=copy", file), "400 Invalid action");
    EXPECT_EQ(outcome_of("0", "action=save", R"({"filename":"a/b"})"), "400 Invalid filename");
    EXPECT_EQ(outcome_of("0", "action=restore", R"({"filename":""})"), "400 Invalid filename");
    for (const auto* body : {"", "{", "{}", R"({"filename":5})", "[1]"})
        EXPECT_EQ(outcome_of("0", "action=save", body).substr(0, 4), "400 ") << body;
    EXPECT_EQ(outcome_of("x", "action=save", file, false),
              "501 This server does not support slots action. Start it with `--slot-save-path`");
}

TEST(slot_action, is_answered_over_http) {
    options o;
    o.slot_actions = true;
    server s(o);
    test::post(s.port(), "/completion", {{"prompt", "Hi"}, {"n_predict", 3}, {"id_slot", 0}});
    const auto saved = test::post(s.port(), "/slots/0?action=save", {{"filename", "a"}});
    EXPECT_EQ(saved.status, 200);
    EXPECT_EQ(json::parse(saved.body)["n_saved"], 4);
    EXPECT_EQ(test::post(s.port(), "/slots/1?action=restore", {{"filename", "a"}}).status, 200);
    EXPECT_EQ(s.observe().slots[1].tokens, 4);
    const auto missing = test::post(s.port(), "/slots/1?action=restore", {{"filename", "b"}});
    EXPECT_EQ(missing.status, 400);
    EXPECT_EQ(json::parse(missing.body)["error"]["message"],
              "Unable to restore slot: No available space in KV cache or invalid slot save file");
    EXPECT_EQ(s.observe().slots[1].tokens, 0);
}

}  // namespace
}  // namespace tandem::mock
