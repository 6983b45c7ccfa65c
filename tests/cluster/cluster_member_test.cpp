// What a gateway logs about a store that rejects its commands.

#include "cluster/cluster_member.hpp"

#include "store_fixture.hpp"
#include "support/captured_log.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tandem::cluster;
using tandem::log_level;

class member_with_redis : public tandem::testing::store_fixture {
 protected:
    tandem::testing::captured_log log;
    cluster_member member{loop.get_executor(),
                          {.store = options().address, .gateway_id = "g1"},
                          {.log = log.logger()}};
    store_link link{loop.get_executor(), options(), {}};
};

TEST_F(member_with_redis,
       reports_once_that_the_store_rejects_commands_and_once_that_it_accepts_them) {
    connect(link);
    ask(link, {"CONFIG", "SET", "maxmemory", "1"});
    member.start();
    ASSERT_TRUE(run_until([&] { return log.count(log_level::warning, "OOM") == 1; }));
    EXPECT_FALSE(member.status().has_lease);
    ask(link, {"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_TRUE(
        run_until([&] { return log.count(log_level::info, "accepts commands again") == 1; }));
    EXPECT_EQ(log.count(log_level::warning, "OOM"), 1u);
    EXPECT_TRUE(member.status().has_lease);
}

}  // namespace
