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
    store_options options_of_bot() const {
        auto o = options();
        o.address.user = "bot";
        return o;
    }

    tandem::testing::captured_log log;
    cluster_member member{
        loop.get_executor(),
        {.store = options_of_bot().address, .password = "secret", .gateway_id = "g1"},
        {.log = log.logger()}};
    store_link link{loop.get_executor(), options(), {}};
};

TEST_F(member_with_redis,
       reports_once_that_the_store_rejects_scripts_and_once_that_it_accepts_them) {
    connect(link);
    ask(link, {"ACL", "SETUSER", "bot", "on", ">secret", "~*", "&*", "+@all", "-evalsha"});
    member.start();
    ASSERT_TRUE(run_until([&] { return log.count(log_level::warning, "NOPERM") == 1; }));
    EXPECT_FALSE(member.status().has_lease);
    ask(link, {"ACL", "SETUSER", "bot", "+evalsha"});
    EXPECT_TRUE(
        run_until([&] { return log.count(log_level::info, "accepts commands again") == 1; }));
    EXPECT_EQ(log.count(log_level::warning, "NOPERM"), 1u);
    EXPECT_TRUE(member.status().has_lease);
}

}  // namespace
