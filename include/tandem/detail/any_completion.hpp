#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tandem::detail {

/// A call of `handler` with these arguments. Has the handler's associated allocator.
template <class Handler, class... Args>
struct bound_call {
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    Handler handler;
    std::tuple<Args...> args;

    allocator_type get_allocator() const noexcept {
        return boost::asio::get_associated_allocator(handler);
    }
    void operator()() { std::apply(std::move(handler), std::move(args)); }
};

/// Holds a completion handler of any type for `void(Args...)`. Asio's own any_completion_handler
/// needs Boost 1.82, but Debian 12 has 1.74.
///
/// The handler is never called inline: complete() posts it to its associated executor, which this
/// object keeps busy until then. Memory comes from the handler's associated allocator, and is
/// released before the handler runs.
template <class... Args>
class any_completion {
 public:
    any_completion() = default;

    template <class Handler>
    any_completion(Handler handler, const boost::asio::any_io_executor& fallback)
        : model_(model<Handler>::make(std::move(handler), fallback)) {}

    explicit operator bool() const noexcept { return model_ != nullptr; }

    /// Precondition: holds a handler. Holds none afterwards.
    void complete(Args... args) { model_.release()->complete(std::move(args)...); }

 private:
    class concept_type {
     public:
        virtual void complete(Args... args) = 0;
        virtual void destroy() noexcept = 0;

     protected:
        ~concept_type() = default;
    };
    struct destroyer {
        void operator()(concept_type* m) const noexcept { m->destroy(); }
    };

    template <class Handler>
    class model final : public concept_type {
        using executor = boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;
        using work = std::decay_t<decltype(boost::asio::prefer(
            std::declval<executor>(), boost::asio::execution::outstanding_work.tracked))>;
        using allocator = typename std::allocator_traits<
            boost::asio::associated_allocator_t<Handler>>::template rebind_alloc<model>;
        using traits = std::allocator_traits<allocator>;

     public:
        static model* make(Handler handler, const boost::asio::any_io_executor& fallback) {
            allocator a(boost::asio::get_associated_allocator(handler));
            auto* const memory = traits::allocate(a, 1);
            try {
                traits::construct(a, memory, std::move(handler), fallback);
            } catch (...) {
                traits::deallocate(a, memory, 1);
                throw;
            }
            return memory;
        }

        model(Handler h, const boost::asio::any_io_executor& fallback)
            : handler_(std::move(h)),
              kept_busy_(
                  boost::asio::prefer(boost::asio::get_associated_executor(handler_, fallback),
                                      boost::asio::execution::outstanding_work.tracked)) {}
        ~model() = default;

        // Frees the memory before the post, after which the handler may run on another thread
        // immediately.
        void complete(Args... args) override {
            bound_call<Handler, Args...> call{std::move(handler_), {std::move(args)...}};
            const auto busy = std::move(kept_busy_);
            free(allocator(call.get_allocator()));
            boost::asio::post(busy, std::move(call));
        }
        // The handler may own the memory resource, so the handler is destroyed last.
        void destroy() noexcept override {
            const Handler handler = std::move(handler_);
            free(allocator(boost::asio::get_associated_allocator(handler)));
        }

     private:
        void free(allocator a) noexcept {
            traits::destroy(a, this);
            traits::deallocate(a, this, 1);
        }

        Handler handler_;
        work kept_busy_;
    };

    std::unique_ptr<concept_type, destroyer> model_;
};

}  // namespace tandem::detail
