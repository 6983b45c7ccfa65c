#include "gateway/cluster/session_record_writer.hpp"

#include "gateway/records/session_record.hpp"
#include "store_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace {

namespace cluster = tandem::cluster;
using namespace tandem::gateway;
using namespace std::chrono_literals;

class a_session_record : public tandem::testing::store_fixture {
 protected:
    void SetUp() override {
        member->add_connection_handler([this] { record->on_store_connected(); });
        member->start();
        ASSERT_TRUE(run_until([this] { return member->is_connected(); }));
    }

    /// Writes a record of this size.
    void write(std::size_t bytes) {
        text = std::string(bytes, 'x');
        has_ended = false;
        record->on_session_changed();
        EXPECT_FALSE(record->is_written());
        ASSERT_TRUE(run_until([this] { return has_ended; }));
    }

    std::string text;
    bool has_ended = false;
    std::shared_ptr<cluster::cluster_member> member = std::make_shared<cluster::cluster_member>(
        loop.get_executor(),
        cluster::cluster_options{.store = options().address, .gateway_id = "g1"},
        tandem::instruments{});
    std::shared_ptr<session_record_writer> record = std::make_shared<session_record_writer>(
        session_record_writer::settings{.executor = loop.get_executor(),
                                        .member = member,
                                        .session = "s1",
                                        .owner = "alice",
                                        .kept = 1min,
                                        .log = {}},
        1,
        session_record_writer::events{.make = [this](const auto& done) { done(text); },
                                      .written = [this] { has_ended = true; },
                                      .taken = [] {}});
};

// While is_written() is false, a gateway that stops must not leave the session to another gateway.
TEST_F(a_session_record, is_not_written_while_it_is_too_long) {
    write(1000);
    EXPECT_TRUE(record->is_written());
    write(max_record_bytes + 1);
    EXPECT_FALSE(record->is_written());
    EXPECT_TRUE(record->has_failed());
    write(max_record_bytes);
    EXPECT_TRUE(record->is_written());
    EXPECT_FALSE(record->has_failed());
}

TEST_F(a_session_record, is_written_again_once_the_store_returns_without_it) {
    write(1000);
    store.kill();
    ASSERT_TRUE(run_until([this] { return !member->is_connected(); }));
    EXPECT_FALSE(record->is_written());
    EXPECT_FALSE(record->has_failed());
    store.start();
    ASSERT_TRUE(run_until([this] { return member->is_connected(); }));
    EXPECT_FALSE(record->is_written()) << "the store is empty";
    ASSERT_TRUE(run_until([this] { return record->is_written(); }, 5s));
    cluster::store_link link{loop.get_executor(), options(), {}};
    connect(link);
    EXPECT_EQ(ask(link, {"HGET", "tdm:tandem:session:s1", "record"})->text, text);
}

}  // namespace
