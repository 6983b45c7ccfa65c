#include "recording/playback_transport.hpp"

#include "recording/playback.hpp"

#include <boost/asio/steady_timer.hpp>

#include <utility>

namespace tandem::detail {
namespace {

class played_exchange final : public transport::exchange,
                              public std::enable_shared_from_this<played_exchange> {
 public:
    played_exchange(const boost::asio::any_io_executor& executor, std::shared_ptr<playback> from,
                    answer_script script, duration peek_hold, transport::exchange_handler& handler)
        : from_(std::move(from)),
          script_(std::move(script)),
          peek_hold_(peek_hold),
          handler_(&handler),
          timer_(executor),
          due_(boost::asio::steady_timer::clock_type::now()) {}

    void pause() override { is_paused_ = true; }
    void resume() override {
        if (std::exchange(is_paused_, false) && is_due_) wait_until(due_);
    }
    void close() {
        handler_ = nullptr;
        timer_.cancel();
    }

    // Computes the due time from that of the previous step, so that slow handlers add no delay.
    void go_on() {
        step_ = script_();
        if (step_) wait_until(due_ + from_->delay_of_step(*step_, peek_hold_));
    }

 private:
    void wait_until(time_point when) {
        due_ = when;
        is_due_ = false;
        timer_.expires_at(when);
        timer_.async_wait([weak = weak_from_this()](error_code ec) {
            const auto self = weak.lock();
            if (self && !ec && self->handler_) self->play();
        });
    }
    void play() {
        is_due_ = is_paused_;
        if (is_due_) return;
        const auto self = shared_from_this();  // a handler may close the exchange
        const auto step = std::move(*step_);
        if (step.what == answer_step::kind::status) handler_->on_status(step.http_status);
        if (step.what == answer_step::kind::data) handler_->on_data(step.bytes);
        if (step.what == answer_step::kind::end)
            return handler_->on_end(step.ec, {.client_message = step.message});
        if (handler_) go_on();
    }

    std::shared_ptr<playback> from_;
    answer_script script_;
    duration peek_hold_;
    transport::exchange_handler* handler_;
    boost::asio::steady_timer timer_;
    time_point due_;
    std::optional<answer_step> step_;
    bool is_paused_ = false;
    bool is_due_ = false;  // the step came due while the exchange was paused
};

// Destroying the handle cuts the request.
class exchange_handle final : public transport::exchange {
 public:
    explicit exchange_handle(std::shared_ptr<played_exchange> played)
        : played_(std::move(played)) {}
    ~exchange_handle() override { played_->close(); }
    void pause() override { played_->pause(); }
    void resume() override { played_->resume(); }

 private:
    std::shared_ptr<played_exchange> played_;
};

class playback_transport final : public transport::http_transport {
 public:
    playback_transport(boost::asio::any_io_executor executor, std::shared_ptr<playback> from,
                       std::string server, duration peek_hold)
        : executor_(std::move(executor)),
          from_(std::move(from)),
          server_(std::move(server)),
          peek_hold_(peek_hold) {}

    std::unique_ptr<transport::exchange> start(transport::http_request request,
                                               transport::exchange_handler& handler) override {
        auto played = std::make_shared<played_exchange>(
            executor_, from_, from_->answer(server_, request, peek_hold_), peek_hold_, handler);
        played->go_on();
        return std::make_unique<exchange_handle>(std::move(played));
    }

 private:
    boost::asio::any_io_executor executor_;
    std::shared_ptr<playback> from_;
    std::string server_;
    duration peek_hold_;
};

}  // namespace

std::unique_ptr<transport::http_transport> make_playback_transport(
    boost::asio::any_io_executor executor, std::shared_ptr<playback> from, std::string server,
    duration peek_hold) {
    return std::make_unique<playback_transport>(std::move(executor), std::move(from),
                                                std::move(server), peek_hold);
}

}  // namespace tandem::detail
