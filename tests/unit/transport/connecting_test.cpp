#include "full_listener.hpp"
#include "support/process.hpp"
#include "transport_fixture.hpp"

// Connections that were never established. curl 7.88 closes their sockets without reporting it.
namespace tandem::transport {
namespace {

using tandem::testing::open_descriptors;

class connecting : public TransportTest {
 protected:
    static constexpr int times = 20;

    void expect_no_descriptor_left_by(const std::function<void()>& try_once) {
        try_once();
        const auto before = open_descriptors();
        for (int i = 0; i < times; ++i) try_once();
        EXPECT_EQ(open_descriptors(), before);
    }
};

TEST_F(connecting, leaves_no_descriptor_when_it_is_cut) {
    full_listener listener;
    connect(listener.url());
    expect_no_descriptor_left_by([&] {
        recorder r;
        auto x = start(r);
        ioc.restart();
        ioc.run_for(std::chrono::milliseconds(5));
        x.reset();
        run();
    });
}

TEST_F(connecting, leaves_no_descriptor_when_it_is_refused) {
    boost::asio::ip::tcp::acceptor closed(ioc, {boost::asio::ip::address_v4::loopback(), 0});
    connect("http://127.0.0.1:" + std::to_string(closed.local_endpoint().port()));
    closed.close();
    expect_no_descriptor_left_by([&] {
        recorder r;
        const auto x = start(r);
        run();
        EXPECT_EQ(r.ec, errc::connect_failed);
    });
}

TEST_F(connecting, leaves_no_descriptor_when_it_takes_too_long) {
    full_listener listener;
    auto options = options_for(listener.url());
    options.connect_timeout = std::chrono::milliseconds(5);
    connect(options);
    expect_no_descriptor_left_by([&] {
        recorder r;
        const auto x = start(r);
        run();
        EXPECT_EQ(r.ec, errc::connect_timeout);
    });
}

}  // namespace
}  // namespace tandem::transport
