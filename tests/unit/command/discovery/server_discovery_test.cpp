#include "discovery/server_discovery.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>

namespace tandem::command {
namespace {

using gateway::model_servers;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A server discovery for which the test resolves the host names.
class discovered_servers : public ::testing::Test {
 protected:
    server_discovery discover(std::vector<server_source> sources) {
        return {loop,
                std::move(sources),
                [this](const std::string& host, addresses_handler done) {
                    asked.push_back(host);
                    answer = std::move(done);
                },
                {.changed = [this](const model_servers& m) { changes.push_back(m); },
                 .log = [this](log_level, const std::string& text) { lines.push_back(text); }}};
    }

    boost::asio::io_context loop;
    std::vector<std::string> asked;
    addresses_handler answer;
    std::vector<model_servers> changes;
    std::vector<std::string> lines;
};

TEST_F(discovered_servers, are_those_of_a_name_beside_those_that_stay) {
    auto d = discover({{"talk", {.url = "http://llama:1", .is_name = true}},
                       {"talk", {.url = "http://fixed:1"}},
                       {"code", {.url = "http://code:1"}}});
    d.query_all_sources();
    EXPECT_THAT(asked, ElementsAre("llama"));
    EXPECT_THAT(changes, IsEmpty());
    answer({"10.0.0.1"}, "");
    EXPECT_THAT(changes,
                ElementsAre(model_servers{"talk", {"http://llama:1#10.0.0.1", "http://fixed:1"}}));
}

TEST_F(discovered_servers, stay_if_the_name_is_not_resolved) {
    auto d = discover({{"talk", {.url = "http://llama:1", .is_name = true}}});
    for (int i = 0; i < 3; ++i) {
        d.query_all_sources();
        answer({}, "Host not found");
    }
    EXPECT_THAT(asked, SizeIs(3));
    EXPECT_THAT(changes, IsEmpty());
    EXPECT_THAT(lines, SizeIs(1));
}

TEST_F(discovered_servers, leave_the_loop_alone_if_they_cannot_change) {
    auto d = discover({{"talk", {.url = "http://fixed:1"}}});
    d.start();
    EXPECT_EQ(loop.run(), 0u);
}

TEST(name_resolver, knows_the_addresses_of_this_machine) {
    boost::asio::io_context loop;
    name_resolver resolver(loop.get_executor(), std::chrono::minutes(1));
    std::vector<std::string> found;
    resolver.resolve("localhost", [&](std::vector<std::string> addresses, const std::string&) {
        found = std::move(addresses);
    });
    loop.run();
    EXPECT_THAT(found, ::testing::Contains(::testing::AnyOf("127.0.0.1", "::1")));
}

TEST(name_resolver, reports_why_a_name_has_none) {
    boost::asio::io_context loop;
    name_resolver resolver(loop.get_executor(), std::chrono::minutes(1));
    std::string why;
    resolver.resolve(
        "..", [&](const std::vector<std::string>&, std::string fault) { why = std::move(fault); });
    loop.run();
    EXPECT_NE(why, "");
}

TEST(name_resolver, answers_all_who_ask_for_a_name_at_once) {
    boost::asio::io_context loop;
    name_resolver resolver(loop.get_executor(), std::chrono::minutes(1));
    std::vector<std::string> faults;
    for (int i = 0; i < 2; ++i)
        resolver.resolve("localhost", [&](const std::vector<std::string>&, std::string fault) {
            faults.push_back(std::move(fault));
        });
    loop.run();
    EXPECT_THAT(faults, ElementsAre("", ""));
}

TEST(name_resolver, gives_up_at_its_limit_and_asks_once_at_a_time) {
    boost::asio::io_context loop;
    name_resolver resolver(loop.get_executor(), std::chrono::nanoseconds(0));
    std::vector<std::string> faults;
    const auto keep = [&](const std::vector<std::string>&, std::string fault) {
        faults.push_back(std::move(fault));
    };
    resolver.resolve("localhost", [&](const std::vector<std::string>&, std::string fault) {
        faults.push_back(std::move(fault));
        resolver.resolve("localhost", keep);  // the system's resolver is still busy
    });
    loop.run();
    EXPECT_THAT(faults, ElementsAre("is not resolved after 0s", "is still not resolved"));
}

}  // namespace
}  // namespace tandem::command
