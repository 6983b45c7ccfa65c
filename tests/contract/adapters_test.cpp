#include "contract/contract_fixture.hpp"
#include "support/adapter_file.hpp"

#include "tandem/client.hpp"

#include <cstdio>
#include <unistd.h>
#include <vector>

// LoRA adapters of the server and of requests: when they take effect, and when slots keep their
// tokens.
namespace tandem::testing {
namespace {

using ::testing::ElementsAre;

class adapters_contract : public contract {
 protected:
    adapters_contract() {
        std::uint32_t seed = 0;
        for (const auto& file : files_) write_adapter(file, ++seed);
        // The server's prompt cache in host memory ignores adapters, so the tests turn the cache
        // off.
        arguments_ = {"--lora", files_[0] + ',' + files_[1], "--cache-ram", "0"};
        mock_options_.lora = files_;
        mock_options_.tokens_per_second = 300;
    }
    ~adapters_contract() override {
        for (const auto& file : files_) std::remove(file.c_str());
    }

    void set(const json& list) {
        ASSERT_EQ(probe().post("/lora-adapters", list)->parsed(), json({{"success", true}}));
    }
    std::vector<double> scales() {
        std::vector<double> all;
        const auto list = probe().get("/lora-adapters")->parsed();
        for (const auto& a : list) all.push_back(a.at("scale"));
        return all;
    }
    static json adapter(int id, double scale) { return {{"id", id}, {"scale", scale}}; }
    /// A turn with its own adapter set. With null, the server's set applies.
    std::unique_ptr<running_answer> turn_with(const json& lora) {
        auto request = request_for(talk_turn_of("yes"));
        if (!lora.is_null()) request["lora"] = lora;
        return probe().complete(request);
    }
    int cached_with(const json& lora) {
        return turn_with(lora)->events().front().at("timings").at("cache_n").get<int>();
    }

    static std::string file_named(const char* name) {
        return ::testing::TempDir() + "adapter." + std::to_string(::getpid()) + '.' + name;
    }
    const std::vector<std::string> files_{file_named("a.gguf"), file_named("b.gguf")};
};
TANDEM_CONTRACT(adapters_contract);

TEST_P(adapters_contract, all_count_in_full_at_first) {
    EXPECT_THAT(scales(), ElementsAre(1, 1));
    EXPECT_EQ(probe().get("/lora-adapters")->parsed().at(1).at("path"), files_[1]);
}

TEST_P(adapters_contract, those_that_are_not_named_count_no_more) {
    set(json::array({adapter(1, 0.5)}));
    EXPECT_THAT(scales(), ElementsAre(0, 0.5));
    set(json::array());
    EXPECT_THAT(scales(), ElementsAre(0, 0));
}

TEST_P(adapters_contract, unknown_ones_are_passed_over) {
    set(json::array({adapter(0, 0.5), adapter(7, 1)}));
    EXPECT_THAT(scales(), ElementsAre(0.5, 0));
    EXPECT_EQ(turn_with(json::array({adapter(7, 1)}))->status(), 200);
    EXPECT_EQ(probe().post("/lora-adapters", json::object())->status(), 400);
}

TEST_P(adapters_contract, a_set_of_its_own_makes_the_slot_forget_the_one_before) {
    set(json::array());
    turn_with(json::array({adapter(0, 1)}));
    EXPECT_GT(cached_with(json::array({adapter(0, 1)})), 0);
    EXPECT_EQ(cached_with(json::array({adapter(0, 0)})), 0);
    EXPECT_GT(cached_with(json::array({adapter(0, 0)})), 0);
}

// Because of this behavior, the gateway adds an adapter set to each request.
TEST_P(adapters_contract, a_slot_forgets_nothing_for_a_request_that_names_no_set) {
    set(json::array());
    turn_with(json::array({adapter(0, 1)}));
    EXPECT_GT(cached_with(nullptr), 0);
    EXPECT_GT(cached_with(json::array()), 0) << "an empty list has no effect";
    set(json::array({adapter(1, 1)}));
    EXPECT_GT(cached_with(nullptr), 0);
}

TEST_P(adapters_contract, a_request_that_runs_continues_as_it_was_begun) {
    set(json::array());
    const auto request = endless(the_mock() ? 300 : 1500);  // runs for about a second
    const auto text = probe().complete(request)->text();
    const auto running = probe().start(request);
    ASSERT_TRUE(probe().wait_for_events(*running, 5));
    set(json::array({adapter(0, 1)}));
    EXPECT_FALSE(running->ended());
    ASSERT_TRUE(probe().wait_for_end(*running));
    EXPECT_EQ(running->text(), text);
    if (the_mock()) return;
    EXPECT_NE(probe().complete(request)->text(), text) << "the new scale applies";
}

TEST_P(adapters_contract, the_client_knows_and_sets_them) {
    client talk(loop().ioc.get_executor(), client_config(), kept_log());
    const std::vector<adapter_scale> wanted{{.id = 1, .scale = 0.25}};
    const auto set_them = loop().call([&](auto done) { talk.async_set_adapters(wanted, done); });
    EXPECT_EQ(set_them.first, error_code());
    const auto told =
        loop().call<std::vector<server_adapter>>([&](auto done) { talk.async_adapters(done); });
    ASSERT_EQ(told.second.size(), 2u);
    EXPECT_EQ(told.second[0].scale, 0);
    EXPECT_EQ(told.second[1].scale, 0.25);
    EXPECT_EQ(told.second[1].path, files_[1]);
}

TEST_P(adapters_contract, a_reply_has_those_of_its_options) {
    set(json::array());
    client talk(loop().ioc.get_executor(), client_config(), kept_log());
    const auto text_with = [&](double scale) {
        consumer c(talk.start(talk_turn_of("soup-recipe").prompt,
                              {.max_tokens = 40, .lora = {{.id = 0, .scale = scale}}}));
        loop().run_to_end(c);
        return c.text();
    };
    const auto plain = text_with(0);
    EXPECT_EQ(text_with(1) == plain, the_mock() != nullptr);
    EXPECT_EQ(text_with(0), plain) << "it reused text that the adapter had evaluated";
}

}  // namespace
}  // namespace tandem::testing
