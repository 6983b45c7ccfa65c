#include "transport_fixture.hpp"

#include <stdexcept>

// A handler that throws, for example because memory is exhausted. The exception propagates out of
// the event loop, which may then run again.
namespace tandem::transport {
namespace {

class throwing_handler : public TransportTest {
 protected:
    recorder r;
    gate caught;  // opened after the exception was caught
    scripted_server server{[this](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(std::string(stream_head));
        co_await peer.send_chunk("one ");
        co_await caught.wait_until_open();
        co_await peer.send_chunk("two");
        co_await peer.send(std::string(stream_end));
    }};

    // The second call does not throw.
    static auto throw_once() {
        return [thrown = std::make_shared<bool>(false)] {
            if (!std::exchange(*thrown, true)) throw std::runtime_error("no memory");
        };
    }
    void expect_a_throw() {
        EXPECT_THROW(ioc.run_for(std::chrono::seconds(30)), std::runtime_error);
        caught.open();
    }
    void expect_whole(const recorder& answer) {
        EXPECT_EQ(answer.body, "one two");
        EXPECT_EQ(answer.ec, error_code());
    }
};

TEST_F(throwing_handler, hears_the_rest_of_its_answer) {
    connect(server.url());
    r.then_on_data = throw_once();
    const auto x = start(r);
    expect_a_throw();
    run();
    expect_whole(r);
}

TEST_F(throwing_handler, hears_the_body_after_a_throw_at_the_status) {
    connect(server.url());
    r.then_on_status = throw_once();
    const auto x = start(r);
    expect_a_throw();
    run();
    expect_whole(r);
}

TEST_F(throwing_handler, stops_no_other_exchange) {
    const scripted_server at_once{[](scripted_peer& peer) -> script_result {
        co_await peer.read_request();
        co_await peer.send(whole_answer("one two"));
    }};
    connect(at_once.url());
    r.then_on_data = throw_once();
    recorder other, later;
    const auto x = start(r), y = start(other);
    expect_a_throw();
    const auto z = start(later);
    run();
    expect_whole(other);
    expect_whole(later);
}

TEST_F(throwing_handler, may_destroy_its_exchange) {
    connect(server.url());
    auto x = start(r);
    r.then_on_data = [&] {
        x.reset();
        throw std::runtime_error("no memory");
    };
    expect_a_throw();
    run();
    EXPECT_EQ(r.calls, (std::vector<std::string>{"status", "data"}));
}

}  // namespace
}  // namespace tandem::transport
