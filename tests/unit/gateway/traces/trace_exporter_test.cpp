// The export of traces to a collector.
#include "gateway/traces/trace_exporter.hpp"

#include "support/otlp_collector.hpp"
#include "support/poll_until.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using tandem::testing::otlp_collector;
using tandem::testing::poll_until;
using tandem::testing::whole_answer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class exported : public ::testing::Test {
 protected:
    void start(const std::string& url) {
        exporter = std::make_unique<trace_exporter>(
            transport::curl_options{.url = url,
                                    .api_key = {},
                                    .ca_file = {},
                                    .ca_path = {},
                                    .proxy = "none",
                                    .peer = "the collector",
                                    .headers = {"api-key: secret"}},
            trace_exporter::callbacks{.dropped = [this](std::size_t turns) { dropped += turns; },
                                      .log = {log_level::info,
                                              [this](log_level, std::string_view line) {
                                                  const std::lock_guard lock(mutex);
                                                  log.emplace_back(line);
                                              }}},
            limits);
    }
    void add(const std::string& name) { exporter->add({.name = name, .model = "talk"}); }
    /// Sends all waiting turns.
    void end() { exporter.reset(); }

    std::vector<std::string> names(const otlp_collector& collector) {
        std::vector<std::string> all;
        for (const auto& s : collector.spans()) all.push_back(s["name"]);
        return all;
    }

    export_limits limits{.batch_wait = 1ms, .first_pause = 1ms, .farewell = 60s};
    std::atomic<std::size_t> dropped = 0;
    std::mutex mutex;
    std::vector<std::string> log;
    std::unique_ptr<trace_exporter> exporter;
};

TEST_F(exported, turns_arrive_as_json_with_the_configured_headers) {
    otlp_collector collector;
    start(collector.url());
    add("first");
    EXPECT_TRUE(poll_until([&] { return !collector.requests().empty(); }));
    end();
    EXPECT_THAT(collector.requests().front(),
                AllOf(StartsWith("POST /v1/traces HTTP/1.1\r\n"), HasSubstr("api-key: secret\r\n"),
                      HasSubstr("Content-Type: application/json\r\n")));
    EXPECT_THAT(names(collector), ElementsAre("first"));
    EXPECT_EQ(dropped, 0u);
    EXPECT_THAT(log, IsEmpty());
}

TEST_F(exported, turns_share_a_request_and_what_waits_is_sent_at_the_end) {
    otlp_collector collector;
    limits.batch_wait = 1h;
    start(collector.url() + "/");
    for (const char* name : {"a", "b", "c"}) add(name);
    end();
    EXPECT_EQ(collector.requests().size(), 1u);
    EXPECT_THAT(names(collector), ElementsAre("a", "b", "c"));
}

TEST_F(exported, requests_are_bounded) {
    otlp_collector collector;
    limits.batch_turns = 2;
    limits.batch_wait = 1h;
    start(collector.url());
    for (const char* name : {"a", "b", "c", "d", "e"}) add(name);
    end();
    EXPECT_GE(collector.requests().size(), 3u);
    EXPECT_THAT(names(collector), ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(exported, turns_are_sent_again_to_a_busy_collector) {
    otlp_collector collector({whole_answer("busy", "503 Service Unavailable")});
    start(collector.url());
    add("first");
    EXPECT_TRUE(poll_until([&] { return collector.requests().size() == 2; }));
    end();
    EXPECT_THAT(names(collector), ElementsAre("first", "first"));
    EXPECT_EQ(dropped, 0u);
    EXPECT_THAT(log, ElementsAre("traces are not delivered: the collector answered HTTP 503: busy",
                                 "traces are delivered again"));
}

// The answer of a collector that asks the client to wait this many seconds.
std::string busy_for(int seconds) {
    return whole_answer("busy", fmt::format("503 Service Unavailable\r\nRetry-After: {}", seconds));
}

TEST_F(exported, turns_wait_as_long_as_the_collector_asks) {
    otlp_collector collector({busy_for(1)});
    start(collector.url());
    const auto began = std::chrono::steady_clock::now();
    add("first");
    EXPECT_TRUE(poll_until([&] { return collector.requests().size() == 2; }));
    EXPECT_GE(std::chrono::steady_clock::now() - began, 1s);
}

TEST_F(exported, turns_do_not_wait_longer_than_the_limit) {
    otlp_collector collector({busy_for(3600)});
    limits.max_pause = 1ms;
    start(collector.url());
    add("first");
    EXPECT_TRUE(poll_until([&] { return collector.requests().size() == 2; }));
}

TEST_F(exported, turns_are_dropped_after_the_last_attempt) {
    const auto busy = whole_answer("busy", "429 Too Many Requests");
    otlp_collector collector({busy, busy, busy});
    limits.attempts = 2;
    start(collector.url());
    add("first");
    EXPECT_TRUE(poll_until([&] { return dropped == 1; }));
    EXPECT_EQ(collector.requests().size(), 2u);
}

TEST_F(exported, turns_that_a_collector_refuses_are_dropped_with_one_warning) {
    const auto refused = whole_answer("no key", "401 Unauthorized");
    otlp_collector collector({refused, refused});
    start(collector.url());
    add("first");
    EXPECT_TRUE(poll_until([&] { return dropped == 1; }));
    add("second");
    EXPECT_TRUE(poll_until([&] { return dropped == 2; }));
    end();
    EXPECT_EQ(collector.requests().size(), 2u);
    EXPECT_THAT(log,
                ElementsAre("traces are not delivered: the collector answered HTTP 401: no key"));
}

TEST_F(exported, turns_that_do_not_fit_are_dropped) {
    otlp_collector collector;
    limits.queue_bytes = 2 * sizeof(traced_turn) + 100;
    limits.batch_wait = 1h;
    start(collector.url());
    for (const char* name : {"a", "b", "c", "d"}) add(name);
    EXPECT_EQ(dropped, 2u);
    end();
    EXPECT_THAT(names(collector), ElementsAre("a", "b"));
    EXPECT_THAT(log, ElementsAre("traces are dropped: the collector takes them too slowly"));
}

TEST_F(exported, turns_for_nobody_are_dropped_and_the_reason_is_logged) {
    std::string nobody;
    {
        const otlp_collector collector;
        nobody = collector.url();
    }
    start(nobody);
    add("first");
    end();
    EXPECT_EQ(dropped, 1u);
    ASSERT_EQ(log.size(), 1u);
    EXPECT_THAT(log[0], AllOf(StartsWith("traces are not delivered: cannot connect to " + nobody),
                              HasSubstr("start the collector")));
}

TEST_F(exported, turns_do_not_delay_the_end_beyond_its_limit) {
    tandem::testing::gate never_opened;
    tandem::testing::scripted_server silent(
        [&](tandem::testing::scripted_peer&) { return never_opened.wait_until_open(); });
    limits.farewell = 1ms;
    start(silent.url());
    add("first");
    end();
    EXPECT_EQ(dropped, 1u);
    EXPECT_THAT(log, ElementsAre("the traces of 1 turn are lost"));
}

TEST_F(exported, turns_are_given_up_by_a_collector_that_does_not_answer) {
    tandem::testing::gate never_opened;
    tandem::testing::scripted_server silent(
        [&](tandem::testing::scripted_peer&) { return never_opened.wait_until_open(); });
    limits.request_timeout = 1ms;
    limits.attempts = 2;
    start(silent.url());
    add("first");
    EXPECT_TRUE(poll_until([&] { return dropped == 1; }));
    end();
    EXPECT_THAT(log, ElementsAre("traces are not delivered: no answer within 0.001 s"));
}

TEST_F(exported, turns_of_which_the_collector_rejects_some_are_reported_once) {
    otlp_collector collector(
        {whole_answer(R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}})")});
    start(collector.url());
    add("first");
    EXPECT_TRUE(poll_until([&] { return !collector.requests().empty(); }));
    end();
    EXPECT_THAT(log, ElementsAre("the collector rejected 1 spans: too old"));
}

}  // namespace
}  // namespace tandem::gateway
