#include "os/stop_signals.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>

#include <utility>

namespace tandem::command {

stop_signals::stop_signals(boost::asio::io_context& ioc, std::function<void()> on_stop)
    : on_stop_(std::move(on_stop)), reader_(ioc, pipe_.fd()) {
    boost::asio::async_read(reader_, boost::asio::buffer(byte_),
                            [this](const boost::system::error_code& ec, std::size_t) {
                                if (!ec) on_stop_();
                            });
}

stop_signals::~stop_signals() {
    reader_.release();  // the pipe owns the descriptor
}

void stop_signals::cancel() {
    boost::system::error_code ignored;
    reader_.cancel(ignored);
}

}  // namespace tandem::command
