#include "recording/recording_transport.hpp"

#include "recording/traffic_writer.hpp"

#include <utility>

namespace tandem::detail {
namespace {

time_point read_clock() {
    return std::chrono::steady_clock::now();
}

// A proxy between an exchange and its handler, transparent to both.
class recorded_exchange_tap final : public transport::exchange,
                                    private transport::exchange_handler {
 public:
    recorded_exchange_tap(std::shared_ptr<traffic_writer> writer, std::uint64_t number,
                          transport::exchange_handler& handler)
        : writer_(std::move(writer)), number_(number), handler_(handler) {}
    ~recorded_exchange_tap() override {
        inner_.reset();
        if (!has_ended_) writer_->record_cut(read_clock(), number_);
    }
    void start(transport::http_transport& over, transport::http_request request) {
        inner_ = over.start(std::move(request), *this);
    }

    void pause() override { inner_->pause(); }
    void resume() override { inner_->resume(); }
    std::optional<duration> connect_duration() const noexcept override {
        return inner_->connect_duration();
    }

 private:
    // The handler is called last, because it may destroy this object.
    void on_status(int http_status) override {
        writer_->record_status(read_clock(), number_, http_status);
        handler_.on_status(http_status);
    }
    void on_data(std::string_view bytes) override {
        writer_->record_bytes(read_clock(), number_, bytes);
        handler_.on_data(bytes);
    }
    void on_end(error_code ec, const diagnostics& diag) override {
        has_ended_ = true;
        writer_->record_end(read_clock(), number_, ec, diag);
        handler_.on_end(ec, diag);
    }

    std::shared_ptr<traffic_writer> writer_;
    std::uint64_t number_;
    transport::exchange_handler& handler_;
    std::unique_ptr<transport::exchange> inner_;
    bool has_ended_ = false;
};

class recording_transport final : public transport::http_transport {
 public:
    recording_transport(std::unique_ptr<transport::http_transport> inner,
                        std::shared_ptr<traffic_writer> writer, std::string server)
        : inner_(std::move(inner)), writer_(std::move(writer)), server_(std::move(server)) {}

    std::unique_ptr<transport::exchange> start(transport::http_request request,
                                               transport::exchange_handler& handler) override {
        const auto number = writer_->record_request(read_clock(), server_, request);
        auto tap = std::make_unique<recorded_exchange_tap>(writer_, number, handler);
        tap->start(*inner_, std::move(request));
        return tap;
    }

 private:
    std::unique_ptr<transport::http_transport> inner_;
    std::shared_ptr<traffic_writer> writer_;
    std::string server_;
};

}  // namespace

std::unique_ptr<transport::http_transport> make_recording_transport(
    std::unique_ptr<transport::http_transport> inner, std::shared_ptr<traffic_writer> writer,
    std::string server) {
    return std::make_unique<recording_transport>(std::move(inner), std::move(writer),
                                                 std::move(server));
}

}  // namespace tandem::detail
