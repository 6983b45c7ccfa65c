// A gateway of a cluster whose server is removed while replies run on it.

#include "cluster/store/store_link.hpp"
#include "gateway/gateway_fixture.hpp"
#include "gateway/voice_client.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace tandem::testing;
using ::testing::IsEmpty;

class a_removed_server : public a_gateway {
 protected:
    a_removed_server() {
        options.cluster = tandem::cluster::cluster_options{.store = address(), .gateway_id = "g1"};
        options.service.client.pacing.mode = tandem::pacing::strict;
        options.service.client.limits.queue_timeout = 2s;
        start();
        other.emplace(server_options);
    }
    ~a_removed_server() override { end(); }

    tandem::cluster::store_address address() const {
        return tandem::cluster::parse_store_address(store.url()).address;
    }
    void list_servers(const std::vector<std::string>& urls) {
        on_loop([&] { EXPECT_THAT(gate->replace_servers({"talk", urls}), IsEmpty()); });
    }
    void begin_reply() {
        caller.emplace(port);
        caller->say({{"type", "start"}, {"text", "Hello!"}});
        chunk = caller->read("chunk");
    }
    /// Continues each chunk until the reply ends, and returns the reply's text.
    std::string finish_reply() {
        std::string text;
        for (; chunk["type"] == "chunk"; chunk = caller->read()) {
            text += chunk["text"];
            caller->say({{"type", "continue"}, {"chunk", chunk["id"]}});
        }
        EXPECT_EQ(chunk["finish_reason"], "eos") << chunk;
        return text;
    }
    /// The store's records of the server's slots.
    std::vector<std::string> read_slots() const {
        std::optional<tandem::cluster::store_answer> records;
        boost::asio::io_context io;
        tandem::cluster::store_link link(io.get_executor(), {.address = address()}, {});
        link.start([&] {
            link.run({"HVALS", "tdm:tandem:slots:" + mock_server->url()}, [&](const auto& a) {
                records = a;
                io.stop();
            });
        });
        io.run_for(10s);
        std::vector<std::string> slots;
        for (const auto& r : records.value_or(tandem::cluster::store_answer{}).items)
            if (std::ranges::count(r.text, ':') == 3) slots.push_back(r.text);
        return slots;
    }

    redis_server store;
    std::optional<tandem::mock::server> other;
    std::optional<voice_client> caller;
    json chunk;
};

TEST_F(a_removed_server, finishes_its_replies) {
    begin_reply();
    EXPECT_TRUE(server_gets_idle());
    list_servers({other->url()});
    EXPECT_EQ(finish_reply(), story);
    EXPECT_GT(mock_server->observe().of_path("/completion").size(), 1u);
    EXPECT_THAT(other->observe().of_path("/completion"), IsEmpty());
    EXPECT_TRUE(poll_until([this] {
        const auto slots = read_slots();
        return !slots.empty() &&
               std::ranges::all_of(slots, [](const auto& s) { return s.ends_with(':'); });
    })) << "the slots are returned";
}

TEST_F(a_removed_server, serves_on_if_it_is_listed_again) {
    begin_reply();
    list_servers({other->url()});
    list_servers({mock_server->url()});
    EXPECT_EQ(finish_reply(), story);
    begin_reply();
    EXPECT_EQ(finish_reply(), story);
    EXPECT_THAT(other->observe().of_path("/completion"), IsEmpty());
}

}  // namespace
