// The connection to a store that sentinels monitor.

#include "store_fixture.hpp"
#include "support/captured_log.hpp"
#include "support/redis_sentinel.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using namespace tandem::cluster;
using tandem::testing::find_free_port;
using tandem::testing::redis_sentinel;
using tandem::testing::redis_server;

class store_with_sentinel : public tandem::testing::store_fixture {
 protected:
    static store_options options_by(const std::string& url) {
        return {.address = parse_store_address(url).address, .client_name = "test"};
    }

    void SetUp() override {
        store_link direct(loop.get_executor(), options_of(primary), {});
        connect(direct);
        ASSERT_TRUE(run_until([&] {
            const auto info = ask(direct, {"INFO", "replication"});
            return info && info->text.find("state=online") != std::string::npos;
        }));
        sentinel = std::make_unique<redis_sentinel>(primary_port);
    }

    std::string primary_port = find_free_port();
    redis_server primary{{"--port", primary_port, "--repl-diskless-sync-delay", "0"}};
    redis_server replica{{"--port", find_free_port(), "--replicaof", "127.0.0.1", primary_port}};
    std::unique_ptr<redis_sentinel> sentinel;
};

TEST_F(store_with_sentinel, continues_at_the_replica_that_becomes_the_primary) {
    const auto gone = find_free_port();
    store_link link(loop.get_executor(),
                    options_by(fmt::format("redis+sentinel://127.0.0.1:{},127.0.0.1:{}/main", gone,
                                           sentinel->port())),
                    {});
    int connections = 0;
    link.start([&] { ++connections; });
    ASSERT_TRUE(run_until([&] { return connections == 1; }));
    EXPECT_EQ(ask(link, {"SET", "key", "before"})->text, "OK");
    EXPECT_EQ(ask(link, {"WAIT", "1", "900"})->number, 1);
    primary.kill();
    ASSERT_TRUE(run_until([&] { return connections == 2; }));
    EXPECT_EQ(ask(link, {"GET", "key"})->text, "before");
    EXPECT_EQ(ask(link, {"SET", "key", "after"})->text, "OK");
}

TEST_F(store_with_sentinel, reports_that_the_sentinel_does_not_know_the_name) {
    tandem::testing::captured_log log;
    store_link link(
        loop.get_executor(),
        options_by(fmt::format("redis+sentinel://127.0.0.1:{}/other", sentinel->port())),
        log.logger());
    link.start({});
    EXPECT_TRUE(run_until(
        [&] { return log.count(tandem::log_level::warning, "does not know \"other\"") == 1; }));
}

TEST_F(store_with_sentinel, gives_its_password_to_a_sentinel_that_requires_one) {
    const redis_sentinel closed(primary_port, "secret");
    store_link direct(loop.get_executor(), options_of(primary), {});
    connect(direct);
    EXPECT_EQ(ask(direct, {"CONFIG", "SET", "requirepass", "secret"})->text, "OK");
    auto options = options_by(fmt::format("redis+sentinel://127.0.0.1:{}/main", closed.port()));
    options.password = "secret";
    store_link link(loop.get_executor(), options, {});
    link.start({});
    EXPECT_TRUE(run_until([&] { return link.is_connected(); }));
}

TEST_F(store_with_sentinel, reports_that_a_sentinel_requires_a_password) {
    const redis_sentinel closed(primary_port, "secret");
    tandem::testing::captured_log log;
    store_link link(loop.get_executor(),
                    options_by(fmt::format("redis+sentinel://127.0.0.1:{}/main", closed.port())),
                    log.logger());
    link.start({});
    EXPECT_TRUE(run_until([&] { return log.count(tandem::log_level::warning, "NOAUTH") == 1; }));
    EXPECT_EQ(log.count(tandem::log_level::warning, "does not know"), 0u);
}

}  // namespace
