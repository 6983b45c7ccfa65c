#pragma once

#include "config/config_defaults.hpp"
#include "support/captured_log.hpp"
#include "support/http_probe.hpp"
#include "support/real_server.hpp"
#include "support/reply_runner.hpp"
#include "support/talk.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tandem::testing {

enum class server_kind { mock, real };

inline std::string name_of(const ::testing::TestParamInfo<server_kind>& info) {
    return info.param == server_kind::mock ? "mock" : "real";
}

/// Tests behavior that the mock server shares with the real server. Each server has two slots of
/// 2048 tokens, and can reply in the dialogues of the talk model.
class contract : public ::testing::TestWithParam<server_kind> {
 protected:
    void SetUp() override {
        if (GetParam() == server_kind::real) {
            const auto why_not = real_server::why_unavailable();
            if (!why_not.empty() && real_server::is_required()) FAIL() << why_not;
            if (!why_not.empty()) GTEST_SKIP() << why_not;
            real_ = std::make_unique<real_server>(arguments_);
        } else {
            mock_ = std::make_unique<mock::server>(mock_options_);
        }
        probe_ = std::make_unique<http_probe>(url());
    }

    void TearDown() override { log_.expect_nowhere("<|im_start|>"); }

    std::string url() const { return mock_ ? mock_->url() : real_->url(); }
    http_probe& probe() { return *probe_; }
    /// The mock server; nullptr if the real server is tested.
    const mock::server* the_mock() const noexcept { return mock_.get(); }

    /// A request that generates `n` tokens and ignores the end token.
    static json endless(int n, int slot = 0) {
        return {{"prompt", "Tell me more."}, {"stream", true},      {"n_predict", n},
                {"ignore_eos", true},        {"temperature", 0},    {"id_slot", slot},
                {"return_tokens", true},     {"cache_prompt", true}};
    }
    /// A request for a turn of a dialogue.
    static json request_for(const talk_turn& turn, int slot = 0) {
        return {{"prompt", turn.prompt}, {"stream", true},       {"temperature", 0},
                {"id_slot", slot},       {"cache_prompt", true}, {"timings_per_token", true}};
    }
    /// The configuration of a client of this server, or of the server at `of_url`.
    tandem::config client_config(std::string of_url = {}) {
        tandem::config c;
        c.server.url = of_url.empty() ? url() : std::move(of_url);
        c.server.proxy = "none";  // tests ignore the machine's proxy settings
        // Without the client's defaults (temperature 0), a service may generate another text each
        // time.
        c.generation = tandem::detail::apply_client_sampling_defaults({}).generation;
        c.server.reuse_guard = std::chrono::seconds(0);
        return c;
    }
    /// Stores the log of a client.
    instruments kept_log() { return {.log = log_.logger()}; }
    reply_runner& loop() { return loop_; }
    const captured_log& log() const { return log_; }

    bool slot_is_idle(int slot) {
        const auto slots = probe().get("/slots")->parsed();
        return !slots.at(static_cast<std::size_t>(slot)).at("is_processing").get<bool>();
    }

    // Derived fixtures change the real server's arguments and the mock server's options before
    // SetUp(), so that both servers behave in the same way.
    std::vector<std::string> arguments_;
    mock::options mock_options_ = [] {
        mock::options o;
        o.ctx_size = 4096;
        o.add_bos = false;  // the talk model has no BOS
        o.tokens_per_second = 3000;
        o.dialogues = mock::load_dialogues(talk_file);
        return o;
    }();

 private:
    std::unique_ptr<mock::server> mock_;
    std::unique_ptr<real_server> real_;
    std::unique_ptr<http_probe> probe_;
    captured_log log_;
    reply_runner loop_;
};

/// Runs the tests of a fixture derived from `contract` against both servers.
#define TANDEM_CONTRACT(fixture)            \
    INSTANTIATE_TEST_SUITE_P(both, fixture, \
                             ::testing::Values(server_kind::mock, server_kind::real), name_of)

}  // namespace tandem::testing
