#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tandem::detail {

/// A completion handler of any type for `void(Args...)`. Asio has one of its own from Boost 1.82
/// on; Debian 12 has 1.74.
///
/// The handler is never called inline: complete() posts it to its associated executor, which is
/// kept busy until then. Its memory is given back before it runs.
template <class... Args>
class any_completion {
 public:
    any_completion() = default;

    template <class Handler>
    any_completion(Handler handler, const boost::asio::any_io_executor& fallback)
        : model_(std::make_unique<model<Handler>>(std::move(handler), fallback)) {}

    explicit operator bool() const noexcept { return model_ != nullptr; }

    /// Precondition: holds a handler. Holds none afterwards.
    void complete(Args... args) {
        auto& m = *model_;
        m.complete(std::move(model_), std::move(args)...);
    }

 private:
    struct concept_type {
        virtual ~concept_type() = default;
        virtual void complete(std::unique_ptr<concept_type> self, Args... args) = 0;
    };

    template <class Handler>
    struct model final : concept_type {
        using executor = boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;
        using work = std::decay_t<decltype(boost::asio::prefer(
            std::declval<executor>(), boost::asio::execution::outstanding_work.tracked))>;

        model(Handler h, const boost::asio::any_io_executor& fallback)
            : handler(std::move(h)),
              kept_busy(boost::asio::prefer(boost::asio::get_associated_executor(handler, fallback),
                                            boost::asio::execution::outstanding_work.tracked)) {}

        // Posted, the handler may run on another thread before this function is left.
        void complete(std::unique_ptr<concept_type> self, Args... args) override {
            auto h = std::move(handler);
            const auto busy = std::move(kept_busy);
            self.reset();
            boost::asio::post(
                busy, [f = std::move(h), t = std::make_tuple(std::move(args)...)]() mutable {
                    std::apply(std::move(f), std::move(t));
                });
        }

        Handler handler;
        work kept_busy;
    };

    std::unique_ptr<concept_type> model_;
};

}  // namespace tandem::detail
