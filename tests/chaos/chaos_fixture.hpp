#pragma once

#include "chaos/talkers.hpp"
#include "config/config_defaults.hpp"
#include "support/chaos_proxy.hpp"
#include "support/http_probe.hpp"
#include "support/real_server.hpp"
#include "support/run_settings.hpp"

#include "tandem/service.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace tandem::testing {

using namespace std::chrono_literals;

/// Sets short timeouts.
inline service_config impatient(service_config c) {
    c.client.limits.connect_timeout = 1s;
    c.client.limits.request_timeout = 1s;
    c.client.limits.first_token_timeout = 2s;
    c.client.limits.between_tokens_timeout = 500ms;
    return c;
}

/// Reads a TANDEM_ variable of the environment.
inline int number_from_environment(const char* variable, int otherwise) {
    return static_cast<int>(
        test::number_from_environment(variable, static_cast<std::uint64_t>(otherwise)));
}

/// Real servers that suffer faults while talkers use them. TANDEM_CHAOS_SEED sets the random seed,
/// which is printed. By default, the seed is random. TANDEM_CHAOS_LOG names a file for the
/// library's log.
class chaos : public ::testing::Test {
 protected:
    void SetUp() override {
        const auto why_not = real_server::why_unavailable();
        if (!why_not.empty() && real_server::is_required()) FAIL() << why_not;
        if (!why_not.empty()) GTEST_SKIP() << why_not;
        std::cout << "TANDEM_CHAOS_SEED=" << seed_ << std::endl;
        if (const char* file = std::getenv("TANDEM_CHAOS_LOG"))
            log_file_ = std::make_shared<std::ofstream>(file, std::ios::app);
    }

    /// Eight talkers run at a time, so one server with eight slots has room for all of them.
    void start_servers(int count, int slots = 8) {
        slots_ = static_cast<std::size_t>(slots);
        const auto context = std::to_string(slots * 2048);
        for (int i = 0; i < count; ++i)
            servers_.push_back(std::make_unique<real_server>(
                std::vector<std::string>{"--parallel", std::to_string(slots), "-c", context}));
    }
    real_server& server(std::size_t i) { return *servers_[i]; }

    /// The configuration for the server at `url`, or for a service if `url` is empty. Limits are
    /// generous, because the machine may be busy.
    tandem::config client_config(std::string url = {}) {
        tandem::config c;
        if (!url.empty()) c.server.url = std::move(url);
        c.server.proxy = "none";  // tests ignore the machine's proxy settings
        // Without the client's defaults (temperature 0), a service may generate another text each
        // time.
        c.generation = tandem::detail::apply_client_sampling_defaults({}).generation;
        c.server.slots = 0;
        c.server.reuse_guard = 0s;
        c.chunking.first_chunk_min_tokens = 0;  // makes each sentence a chunk
        c.limits.queue_timeout = 5min;
        c.limits.queue_limit = 100'000;
        c.failover.retries = 100;
        c.failover.resume_within = 30s;
        return c;
    }
    service_config service_of(std::vector<std::string> urls) {
        service_config c;
        c.servers = std::move(urls);
        c.client = client_config();
        c.health_interval = 200ms;
        return c;
    }
    std::vector<std::string> urls() const {
        std::vector<std::string> list;
        for (const auto& s : servers_) list.push_back(s->url());
        return list;
    }
    instruments observed() { return {.log = logger()}; }
    /// Runs the dialogues without faults, and returns the text of each turn.
    turn_texts undisturbed(std::variant<service_config, tandem::config> library) {
        talkers calm(std::move(library), observed(), {.dialogues = 51});
        const auto totals = calm.finish();
        EXPECT_EQ(totals.failed, 0) << list_of(totals.failures);
        EXPECT_EQ(totals.retries, 0);
        return calm.texts();
    }

    static std::string list_of(const std::vector<strange_reply>& replies) {
        std::string all;
        for (const auto& r : replies)
            all +=
                fmt::format("{}: {} {}\n  \"{}\"\n", r.turn, error_name(r.error), r.words, r.text);
        return all;
    }
    static void expect_all_right(const talk_totals& totals) {
        EXPECT_EQ(totals.failed, 0) << list_of(totals.failures);
        EXPECT_EQ(totals.hanging, 0);
        EXPECT_EQ(totals.wrong, 0) << list_of(totals.wrong_texts);
    }
    /// Waits until no request is left on any slot of the server.
    bool becomes_idle(const real_server& s) {
        http_probe probe(s.url());
        return probe.wait_until([&] {
            const auto list = probe.get("/slots")->parsed();
            if (!list.is_array() || list.size() != slots_) return false;
            return std::none_of(list.begin(), list.end(), [](auto& slot) {
                return slot.at("is_processing").template get<bool>();
            });
        });
    }

    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(dice_); }
    /// Waits for `time` instead of an observed event, because faults should happen at arbitrary
    /// moments.
    static void let_pass(duration time) {
        boost::asio::io_context ioc;
        boost::asio::steady_timer timer(ioc, time);
        timer.wait();
    }
    void let_pass_up_to(std::chrono::milliseconds most) {
        let_pass(std::chrono::microseconds(pick(0, static_cast<int>(most.count()) * 1000)));
    }

    /// Writes a line to the library's log.
    void note(const std::string& line) {
        const auto log = logger();
        if (log.enabled(log_level::info)) log.write(log_level::info, line);
    }
    std::uint64_t seed() const { return seed_; }

 private:
    tandem::logger logger() {
        if (!log_file_) return {};
        return {log_level::debug,
                [file = log_file_, lock = log_lock_](log_level, std::string_view line) {
                    const std::lock_guard hold(*lock);
                    const std::chrono::duration<double, std::milli> now =
                        std::chrono::steady_clock::now().time_since_epoch();
                    *file << fmt::format("{:.3f} {}\n", now.count(), line) << std::flush;
                }};
    }

    std::uint64_t seed_ = static_cast<std::uint64_t>(number_from_environment(
        "TANDEM_CHAOS_SEED", static_cast<int>(std::random_device()() >> 1)));
    std::mt19937_64 dice_{seed_};
    std::shared_ptr<std::ofstream> log_file_;
    std::shared_ptr<std::mutex> log_lock_ = std::make_shared<std::mutex>();
    std::vector<std::unique_ptr<real_server>> servers_;
    std::size_t slots_ = 0;
};

}  // namespace tandem::testing
