#pragma once

#include "support/scripted_server.hpp"
#include "transport/curl_transport.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::transport {

using tandem::testing::gate;
using tandem::testing::peer_end;
using tandem::testing::scripted_peer;
using tandem::testing::scripted_server;
using tandem::testing::stream_end;
using tandem::testing::stream_head;
using tandem::testing::whole_answer;
using script_result = boost::asio::awaitable<void>;

/// Records its calls and runs the test's callback in each of them.
class recorder final : public exchange_handler {
 public:
    int status = 0;
    std::string body;
    std::optional<error_code> ec;
    diagnostics diag;
    std::vector<std::string> calls;
    std::function<void()> then_on_status, then_on_data, then_on_end;

    bool ended() const { return ec.has_value(); }

    void on_status(int http_status) override {
        status = http_status;
        note("status", then_on_status);
    }
    void on_data(std::string_view bytes) override {
        body += bytes;
        note("data", then_on_data);
    }
    void on_end(error_code code, const diagnostics& d) override {
        ec = code;
        diag = d;
        note("end", then_on_end);
    }

 private:
    void note(const char* call, const std::function<void()>& then) {
        calls.emplace_back(call);
        // Calls a copy, because `then` may destroy this object.
        if (const auto copy = then) copy();
    }
};

class TransportTest : public ::testing::Test {
 protected:
    boost::asio::io_context ioc{1};
    std::unique_ptr<http_transport> transport;

    static curl_options options_for(std::string url) {
        // A proxy configured on the machine must not affect the tests.
        return {
            .url = std::move(url), .api_key = {}, .ca_file = {}, .ca_path = {}, .proxy = "none"};
    }
    void connect(curl_options options) {
        transport = make_curl_transport(ioc.get_executor(), std::move(options));
    }
    void connect(const std::string& url) { connect(options_for(url)); }

    static http_request completion(std::string body = "{}") {
        return {"POST", "/completion", std::move(body)};
    }
    std::unique_ptr<exchange> start(recorder& r) { return transport->start(completion(), r); }

    /// Runs until no work is left. The test fails if work is left after 30 s.
    void run() {
        ioc.restart();
        ioc.run_for(std::chrono::seconds(30));
        ASSERT_TRUE(ioc.stopped()) << "work is left on the io_context";
    }
    /// Runs one exchange with `url` to its end.
    recorder exchange_with(curl_options options) {
        recorder r;
        connect(std::move(options));
        const auto x = start(r);
        run();
        return r;
    }
    recorder exchange_with(const std::string& url) { return exchange_with(options_for(url)); }
};

}  // namespace tandem::transport
