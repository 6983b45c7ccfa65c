// Several processes of `tandem serve --cluster` in front of one server. The server's observations
// show whether two requests used a slot at the same time.

#include "cluster/store/store_link.hpp"
#include "command/serve_fixture.hpp"
#include "support/poll_until.hpp"
#include "support/redis_server.hpp"
#include "support/slot_overlaps.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int slots_of_server = 4;

class cluster_of_gateways : public serve_test {
 protected:
    cluster_of_gateways() { start_server({.parallel = slots_of_server, .tokens_per_second = 200}); }

    void add_gateways(int count) {
        for (int i = 0; i < count; ++i)
            gateways.push_back(std::make_unique<running_gateway>(
                program, args({"--model", "talk", "--cluster", store.url(), "--gateway-id",
                               "g" + std::to_string(++made)})));
    }

    /// Starts callers. Each caller asks one gateway again and again until finish_load().
    void start_load(int callers) {
        for (int i = 0; i < callers; ++i)
            threads.emplace_back([this, port = gateways[std::size_t(i) % gateways.size()]->port] {
                http_client client(port);
                while (!is_over) {
                    const auto a = client.post("/v1/chat/completions", chat());
                    if (a.status == 0) return;  // the gateway was killed
                    ++(a.parsed()["choices"][0]["message"]["content"] == story ? right : wrong);
                }
            });
    }
    void finish_load() {
        is_over = true;
        for (auto& t : threads) t.join();
        threads.clear();
    }
    /// Waits for `count` further correct answers.
    [[nodiscard]] bool answers(int count) {
        const int begin = right;
        return poll_until([&] { return right >= begin + count; });
    }
    /// Waits until the gateway reports `is_draining` for its server; false on a timeout.
    [[nodiscard]] bool shows(std::size_t gateway, bool is_draining) {
        return poll_until([&] {
            const auto servers =
                http_client(gateways[gateway]->port).get("/admin/servers").parsed();
            return servers["data"][0]["draining"] == is_draining;
        });
    }
    child_process::ended run_cluster(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"cluster", "--cluster", store.url()});
        return run(std::move(arguments));
    }
    /// The gateways that `tandem cluster` lists with the server.
    json list_members_of_server() const {
        const auto status = json::parse(run_cluster({"--json"}).out);
        auto members = json::array();
        for (const auto& g : status["gateways"])
            if (g["servers"] == json::array({server_->url()})) members.push_back(g["id"]);
        return members;
    }
    std::vector<std::string> overlaps() const { return slot_overlaps(server_->observe()); }

    redis_server store;
    std::vector<std::unique_ptr<running_gateway>> gateways;
    std::vector<std::thread> threads;
    std::atomic<bool> is_over = false;
    std::atomic<int> right = 0;
    std::atomic<int> wrong = 0;
    int made = 0;
};

TEST_F(cluster_of_gateways, uses_each_slot_for_one_request_at_a_time) {
    add_gateways(3);
    start_load(9);
    EXPECT_TRUE(answers(60));
    finish_load();
    EXPECT_EQ(wrong, 0);
    EXPECT_THAT(overlaps(), IsEmpty());
}

TEST_F(cluster_of_gateways, gives_all_slots_to_the_gateway_that_needs_them) {
    add_gateways(3);
    start_load(3);
    EXPECT_TRUE(answers(6));
    finish_load();
    is_over = false;
    std::swap(gateways[0], gateways[2]);
    gateways.resize(1);
    start_load(slots_of_server);
    EXPECT_TRUE(poll_until([this] {
        const auto seen = server_->observe();
        return std::ranges::all_of(seen.slots, &tandem::mock::slot_record::is_processing);
    }));
    finish_load();
    EXPECT_THAT(overlaps(), IsEmpty());
}

TEST_F(cluster_of_gateways, answers_while_the_store_is_away) {
    add_gateways(3);
    start_load(9);
    EXPECT_TRUE(answers(9));
    store.kill();
    EXPECT_TRUE(answers(100));
    store.start();
    EXPECT_TRUE(answers(60));
    finish_load();
    EXPECT_EQ(wrong, 0);
}

TEST_F(cluster_of_gateways, drains_a_server_everywhere) {
    add_gateways(2);
    start_load(1);
    EXPECT_TRUE(answers(1));
    finish_load();
    const auto id = server_->url().substr(std::string("http://").size());
    const auto tell = [&](std::size_t gateway, const std::string& what) {
        return http_client(gateways[gateway]->port)
            .post(fmt::format("/admin/servers/{}/{}", id, what), json::object())
            .status;
    };
    EXPECT_EQ(tell(0, "drain"), 200);
    EXPECT_TRUE(shows(1, true));
    EXPECT_THAT(run_cluster({}).out, HasSubstr(server_->url() + ", drained"));
    store.kill();
    store.start();
    add_gateways(1);
    EXPECT_TRUE(shows(2, true)) << "the others restore what an empty store has lost";
    EXPECT_EQ(tell(2, "undrain"), 200);
    EXPECT_TRUE(shows(0, false));
}

TEST_F(cluster_of_gateways, drains_a_server_by_command) {
    add_gateways(2);
    EXPECT_TRUE(poll_until([&] { return list_members_of_server() == json::array({"g1", "g2"}); }));
    const auto drain = [&](const char* action) {
        return run_cluster({action, server_->url(), "--json"}).out;
    };
    const auto result = [&](const char* changes) {
        return fmt::format(R"({{"name":"{}",{},"gateways":["g1","g2"]}})", server_->url(),
                           changes) +
               "\n";
    };
    EXPECT_EQ(drain("drain"), result(R"("drained":true,"changed":true)"));
    EXPECT_TRUE(shows(0, true));
    EXPECT_TRUE(shows(1, true));
    EXPECT_EQ(drain("drain"), result(R"("drained":true,"changed":false)"));
    EXPECT_EQ(drain("undrain"), result(R"("drained":false,"changed":true)"));
    EXPECT_TRUE(shows(0, false));
    EXPECT_TRUE(shows(1, false));
    EXPECT_EQ(drain("undrain"), result(R"("drained":false,"changed":false)"));
}

TEST_F(cluster_of_gateways, drains_no_unknown_server) {
    add_gateways(1);
    EXPECT_TRUE(poll_until([&] { return list_members_of_server() == json::array({"g1"}); }));
    const auto unknown = run_cluster({"drain", "http://elsewhere:8080"});
    EXPECT_EQ(unknown.status, 1);
    EXPECT_THAT(
        unknown.err,
        HasSubstr("SERVER is http://elsewhere:8080, which no gateway serves; the gateways serve " +
                  server_->url()));
}

TEST_F(cluster_of_gateways, shows_no_server_of_a_gateway_that_is_gone) {
    add_gateways(1);
    start_load(1);
    EXPECT_TRUE(answers(1));
    finish_load();
    EXPECT_TRUE(poll_until([&] { return list_members_of_server() == json::array({"g1"}); }));
    gateways.clear();
    EXPECT_TRUE(poll_until([&] { return run_cluster({"slots"}).out == "no server\n"; }));
}

TEST_F(cluster_of_gateways, is_not_shown_without_its_store) {
    const auto done = run({"cluster", "--cluster", "redis://127.0.0.1:1"});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, HasSubstr("; check --cluster, TANDEM_CLUSTER_PASSWORD, and that the "
                                    "store runs"));
}

TEST_F(cluster_of_gateways, is_checked_by_the_doctor) {
    add_gateways(2);
    start_load(2);
    EXPECT_TRUE(answers(2));
    finish_load();
    const auto done = child_process(program, {.args = {"doctor", "--quick", "--url", server_->url(),
                                                       "--cluster", store.url()}})
                          .wait();
    EXPECT_THAT(done.out, HasSubstr("2 gateways are up: g1, g2")) << done.err;
    EXPECT_THAT(done.out, Not(HasSubstr("no gateway uses")));
}

TEST_F(cluster_of_gateways, answers_while_the_store_hangs) {
    add_gateways(2);
    start_load(6);
    EXPECT_TRUE(answers(6));
    store.suspend();
    EXPECT_TRUE(answers(100));
    store.resume();
    EXPECT_TRUE(answers(30));
    finish_load();
    EXPECT_EQ(wrong, 0);
}

TEST_F(cluster_of_gateways, takes_over_the_slots_of_a_gateway_that_was_killed) {
    add_gateways(2);
    start_load(8);
    EXPECT_TRUE(answers(8));
    gateways[1]->stop(SIGKILL);
    EXPECT_TRUE(poll_until([this] {
        const auto seen = server_->observe();
        return std::ranges::all_of(seen.slots, &tandem::mock::slot_record::is_processing);
    }));
    finish_load();
}

TEST_F(cluster_of_gateways, gets_the_slots_of_a_gateway_that_stops_at_once) {
    add_gateways(1);
    start_load(slots_of_server);
    EXPECT_TRUE(answers(slots_of_server));
    finish_load();
    EXPECT_EQ(gateways[0]->stop(SIGTERM).status, 0);
    gateways.clear();
    is_over = false;
    add_gateways(1);
    start_load(slots_of_server);
    EXPECT_TRUE(answers(slots_of_server));
    finish_load();
    EXPECT_EQ(wrong, 0);
    EXPECT_THAT(overlaps(), IsEmpty());
}

TEST_F(cluster_of_gateways, answers_in_front_of_a_server_that_does_not_report_its_slots) {
    start_server({.parallel = slots_of_server, .tokens_per_second = 200, .slots_endpoint = false});
    add_gateways(2);
    start_load(6);
    EXPECT_TRUE(answers(60));
    finish_load();
    EXPECT_EQ(wrong, 0);
    EXPECT_THAT(overlaps(), IsEmpty());
}

TEST_F(cluster_of_gateways, answers_the_first_request_to_a_server_that_does_not_report_its_slots) {
    start_server({.parallel = slots_of_server, .slots_endpoint = false});
    add_gateways(1);
    start_load(1);
    EXPECT_TRUE(answers(1));
    finish_load();
}

TEST_F(cluster_of_gateways, uses_no_slot_of_another_process_with_its_id) {
    add_gateways(1);
    start_load(slots_of_server);
    EXPECT_TRUE(answers(slots_of_server));
    made = 0;
    add_gateways(1);
    start_load(2 * slots_of_server);
    EXPECT_TRUE(answers(30));
    finish_load();
    EXPECT_EQ(wrong, 0);
    EXPECT_THAT(overlaps(), IsEmpty());
    EXPECT_THAT(gateways[1]->stop(SIGTERM).err, HasSubstr("another process is gateway g1"));
}

TEST_F(cluster_of_gateways, starts_and_answers_without_the_store) {
    store.kill();
    add_gateways(1);
    start_load(1);
    EXPECT_TRUE(answers(2));
    finish_load();
    const auto ended = gateways[0]->stop(SIGTERM);
    EXPECT_THAT(ended.err, HasSubstr("store unix://"));
}

}  // namespace
