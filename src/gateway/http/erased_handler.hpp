#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>

#include <memory>
#include <utility>

namespace tandem::gateway {

/// A completion handler whose type is hidden, called once with `Args` on its associated executor.
/// Beast's operations carry the types of all handlers above them. An operation that takes this type
/// instead is compiled once rather than once per caller.
template <class... Args>
class erased_handler {
 public:
    using executor_type = boost::asio::any_io_executor;

    /// `fallback` is the executor to use if the handler has none.
    template <class Handler>
    erased_handler(Handler handler, const executor_type& fallback)
        : executor_(boost::asio::get_associated_executor(handler, fallback)),
          held_(std::make_unique<holder<Handler>>(std::move(handler))) {}

    executor_type get_executor() const noexcept { return executor_; }

    void operator()(Args... args) { std::exchange(held_, nullptr).release()->call(args...); }

 private:
    struct callable {
        virtual ~callable() = default;
        /// Frees this object's memory, then calls the handler. Asio guarantees this order, so that
        /// the handler can reuse the memory for its next operation.
        virtual void call(Args... args) = 0;
    };
    template <class Handler>
    struct holder final : callable {
        explicit holder(Handler&& h) : handler(std::move(h)) {}
        void call(Args... args) override {
            auto moved = std::move(handler);
            delete this;
            moved(args...);
        }
        Handler handler;
    };

    executor_type executor_;
    std::unique_ptr<callable> held_;
};

}  // namespace tandem::gateway
