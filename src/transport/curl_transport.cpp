#include "transport/curl_transport.hpp"

#include "transport/curl_multi_driver.hpp"

#include <cassert>
#include <utility>

namespace tandem::transport {
namespace {

class curl_exchange final : public exchange {
 public:
    curl_exchange(std::shared_ptr<curl_multi_driver> loop, std::shared_ptr<transfer> t)
        : loop_(std::move(loop)), transfer_(std::move(t)) {}
    ~curl_exchange() override { loop_->cut_transfer(*transfer_); }

    void pause() override { transfer_->pause(); }
    void resume() override { transfer_->resume(); }
    std::optional<duration> connect_duration() const noexcept override {
        return transfer_->connect_duration();
    }
    std::optional<duration> retry_after() const noexcept override {
        return transfer_->retry_after();
    }

 private:
    std::shared_ptr<curl_multi_driver> loop_;
    std::shared_ptr<transfer> transfer_;
};

class curl_transport final : public http_transport {
 public:
    curl_transport(const boost::asio::any_io_executor& executor, curl_options options)
        : loop_(std::make_shared<curl_multi_driver>(executor, std::move(options))) {}

    ~curl_transport() override {
        assert(loop_->idle() && "exchanges must be destroyed before their transport");
        loop_->shutdown();
    }

    std::unique_ptr<exchange> start(http_request request, exchange_handler& handler) override {
        auto t = loop_->make_transfer(std::move(request), handler);
        auto started = std::make_unique<curl_exchange>(loop_, t);
        loop_->start(*t);
        return started;
    }

 private:
    std::shared_ptr<curl_multi_driver> loop_;
};

}  // namespace

std::unique_ptr<http_transport> make_curl_transport(boost::asio::any_io_executor executor,
                                                    curl_options options) {
    return std::make_unique<curl_transport>(executor, std::move(options));
}

}  // namespace tandem::transport
