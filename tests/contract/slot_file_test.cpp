#include "contract/contract_fixture.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

// The contents of a slot, saved in a file of the server.
namespace tandem::testing {
namespace {

namespace fs = std::filesystem;

class temporary_folder {
 public:
    temporary_folder() {
        std::string name = ::testing::TempDir() + "slot-files-XXXXXX";
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder: " + name);
        path_ = name;
    }
    ~temporary_folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    std::string path() const { return path_; }

 private:
    std::string path_;
};

class slot_file_contract : public contract {
 protected:
    slot_file_contract() {
        arguments_ = {"--slot-save-path", folder_.path()};
        mock_options_.slot_actions = true;
    }

    std::unique_ptr<running_answer> act(int slot, const std::string& action,
                                        const std::string& file) {
        return probe().post("/slots/" + std::to_string(slot) + "?action=" + action,
                            {{"filename", file}});
    }
    json save(int slot, const std::string& file) { return act(slot, "save", file)->parsed(); }
    json restore(int slot, const std::string& file) { return act(slot, "restore", file)->parsed(); }

    // Runs the request of a turn, and returns how many tokens of its prompt the slot already held.
    int cached(const std::string& turn, int slot) {
        const auto a = probe().complete(request_for(talk_turn_of(turn), slot));
        return a->events().front().at("timings").at("cache_n").get<int>();
    }
    int prompt_tokens(const std::string& turn) {
        const auto body = json{{"content", talk_turn_of(turn).prompt}};
        return static_cast<int>(probe().post("/tokenize", body)->parsed().at("tokens").size());
    }

 private:
    temporary_folder folder_;
};
TANDEM_CONTRACT(slot_file_contract);

class slot_file_client : public slot_file_contract {
 protected:
    using result = std::pair<error_code, slot_file_result>;

    void SetUp() override {
        slot_file_contract::SetUp();
        if (!IsSkipped()) llm_.emplace(loop().ioc.get_executor(), client_config(), kept_log());
    }

    result save(int slot, const std::string& file) {
        return loop().call<slot_file_result>(
            [&](auto h) { llm_->async_save_slot(slot, file, diag_, std::move(h)); });
    }
    result restore(int slot, const std::string& file) {
        return loop().call<slot_file_result>(
            [&](auto h) { llm_->async_restore_slot(slot, file, diag_, std::move(h)); });
    }

    std::optional<client> llm_;
    diagnostics diag_;
};
TANDEM_CONTRACT(slot_file_client);

class locked_slots_client : public contract {};
TANDEM_CONTRACT(locked_slots_client);

void expect_no_file(const running_answer& a, const std::string& message) {
    EXPECT_EQ(a.status(), 400);
    const auto error = a.parsed().value("error", json::object());
    EXPECT_EQ(error.value("type", ""), "invalid_request_error");
    EXPECT_EQ(error.value("message", ""), message);
}

constexpr const char* no_such_file =
    "Unable to restore slot: No available space in KV cache or invalid slot save file";

TEST_P(slot_file_contract, a_slot_is_copied_to_another) {
    ASSERT_EQ(cached("yes", 0), 0);
    const auto saved = save(0, "a.bin");
    const auto restored = restore(1, "a.bin");
    EXPECT_EQ(saved.at("id_slot"), 0);
    EXPECT_EQ(saved.at("filename"), "a.bin");
    EXPECT_GT(saved.at("n_saved"), prompt_tokens("yes"));
    EXPECT_GE(saved.at("timings").at("save_ms"), 0.0);
    EXPECT_EQ(restored.at("id_slot"), 1);
    EXPECT_EQ(restored.at("filename"), "a.bin");
    EXPECT_EQ(restored.at("n_restored"), saved.at("n_saved"));
    EXPECT_EQ(restored.at("n_read"), saved.at("n_written"));
    EXPECT_GE(restored.at("timings").at("restore_ms"), 0.0);
    EXPECT_EQ(cached("yes", 1), prompt_tokens("yes") - 1);
}

TEST_P(slot_file_contract, a_file_grows_with_the_tokens) {
    const auto empty = save(0, "a");
    EXPECT_EQ(empty.at("n_saved"), 0);
    EXPECT_EQ(empty.at("n_written"), 40);
    probe().complete(endless(5));
    const auto full = save(0, "a");
    EXPECT_EQ(full.at("n_written"), 128 + 1552 * full.at("n_saved").get<int>());
}

TEST_P(slot_file_contract, an_empty_slots_file_empties_another) {
    save(0, "empty");
    probe().complete(endless(5, 1));
    EXPECT_EQ(restore(1, "empty").at("n_restored"), 0);
    EXPECT_EQ(probe().get("/slots")->parsed().at(1).at("n_prompt_tokens"), 0);
}

TEST_P(slot_file_contract, a_file_is_written_over) {
    save(0, "a");
    cached("yes", 0);
    save(0, "a");
    EXPECT_GT(restore(1, "a").at("n_restored"), prompt_tokens("yes"));
}

TEST_P(slot_file_contract, a_file_that_is_missing_leaves_an_empty_slot) {
    cached("yes", 0);
    expect_no_file(*act(0, "restore", "nothing"), no_such_file);
    EXPECT_EQ(cached("yes", 0), 0);
}

TEST_P(slot_file_contract, a_name_that_leads_elsewhere_is_refused) {
    for (const auto* name : {"a/b", "../a", "", ".", "..", "a\\b", "a..b", "a.", "a:b"}) {
        expect_no_file(*act(0, "save", name), "Invalid filename");
        expect_no_file(*act(0, "restore", name), "Invalid filename");
    }
}

TEST_P(slot_file_contract, a_refused_name_leaves_the_slot_alone) {
    cached("yes", 0);
    act(0, "restore", "a/b");
    EXPECT_EQ(cached("yes", 0), prompt_tokens("yes") - 1);
}

TEST_P(slot_file_contract, what_is_no_name_is_400) {
    for (const auto* body : {"", "{", "{}", R"({"filename":5})"})
        EXPECT_EQ(probe().post_text("/slots/0?action=save", body)->status(), 400) << body;
    EXPECT_EQ(probe().post("/slots/x?action=save", {{"filename", "a"}})->status(), 400);
    EXPECT_EQ(probe().post("/slots/0?action=copy", {{"filename", "a"}})->status(), 400);
}

TEST_P(slot_file_contract, a_busy_slot_is_saved_once_it_is_idle) {
    const auto running = probe().start(endless(1000));
    ASSERT_TRUE(probe().wait_for_events(*running, 1));
    EXPECT_GT(save(0, "a").at("n_saved"), 1000);
}

TEST_P(slot_file_contract, a_busy_slot_is_restored_once_it_is_idle) {
    cached("yes", 1);
    const int held = save(1, "a").at("n_saved");
    const auto running = probe().start(endless(1000));
    ASSERT_TRUE(probe().wait_for_events(*running, 1));
    EXPECT_EQ(restore(0, "a").at("n_restored"), held);
    EXPECT_EQ(cached("yes", 0), prompt_tokens("yes") - 1);
}

TEST_P(slot_file_contract, the_other_slot_is_saved_at_once) {
    const auto running = probe().start(endless(1000));
    ASSERT_TRUE(probe().wait_for_events(*running, 1));
    EXPECT_EQ(save(1, "a").at("n_saved"), 0);
    EXPECT_FALSE(running->ended());
}

TEST_P(slot_file_client, copies_a_slot) {
    cached("yes", 0);
    const auto [saving, saved] = save(0, "a-1_b.bin");
    const auto [restoring, restored] = restore(1, "a-1_b.bin");
    EXPECT_FALSE(saving) << diag_.to_string();
    EXPECT_FALSE(restoring) << diag_.to_string();
    EXPECT_GT(saved.tokens, prompt_tokens("yes"));
    EXPECT_GT(saved.bytes, 1000 * saved.tokens);
    EXPECT_EQ(restored.tokens, saved.tokens);
    EXPECT_EQ(restored.bytes, saved.bytes);
    EXPECT_EQ(cached("yes", 1), prompt_tokens("yes") - 1);
}

TEST_P(slot_file_client, is_told_that_a_file_is_missing) {
    EXPECT_EQ(restore(0, "nothing").first, errc::bad_request);
    EXPECT_EQ(diag_.server_message, no_such_file);
}

TEST_P(locked_slots_client, is_told_that_slots_cannot_be_saved) {
    client llm(loop().ioc.get_executor(), client_config(), kept_log());
    const auto saved =
        loop().call<slot_file_result>([&](auto h) { llm.async_save_slot(0, "a", std::move(h)); });
    EXPECT_EQ(saved.first, errc::not_supported);
    const auto restored = loop().call<slot_file_result>(
        [&](auto h) { llm.async_restore_slot(0, "a", std::move(h)); });
    EXPECT_EQ(restored.first, errc::not_supported);
}

}  // namespace
}  // namespace tandem::testing
