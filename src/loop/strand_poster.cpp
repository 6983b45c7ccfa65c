#include "loop/strand_poster.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>

#include <typeinfo>

namespace tandem::detail {
namespace {

using boost::asio::any_io_executor;
using boost::asio::io_context;
namespace execution = boost::asio::execution;

using plain = io_context::executor_type;
using working =
    decltype(boost::asio::require(std::declval<plain>(), execution::outstanding_work.tracked));

// Checks the type, because any_executor::target() of Boost 1.74 does not.
template <class Executor>
const Executor* target_of(const any_io_executor& e) {
    return e.target_type() == typeid(Executor) ? e.target<Executor>() : nullptr;
}

template <class Executor>
io_context* context_of(const any_io_executor& e) {
    if (const auto* found = target_of<Executor>(e))
        return &boost::asio::query(*found, execution::context);
    if (const auto* found = target_of<boost::asio::strand<Executor>>(e))
        return &boost::asio::query(found->get_inner_executor(), execution::context);
    return nullptr;
}

// The type of an execution context cannot be queried, so an io_context is recognized by the type of
// its executors.
io_context* io_context_of(const any_io_executor& e) {
    if (const auto* strand = target_of<boost::asio::strand<any_io_executor>>(e))
        return io_context_of(strand->get_inner_executor());
    auto* found = context_of<plain>(e);
    return found ? found : context_of<working>(e);
}

}  // namespace

strand_poster::strand_poster(const any_io_executor& strand)
    : strand_(boost::asio::prefer(strand, execution::outstanding_work.tracked)),
      context_(io_context_of(strand)) {}

bool strand_poster::is_stopped() const {
    const std::lock_guard lock(mutex_);
    return context_ && context_->stopped();
}

// Takes the lock, so that the destruction of a context waits for threads that are using it here.
void strand_poster::disconnect() noexcept {
    const std::lock_guard lock(mutex_);
    strand_ = any_io_executor();
    context_ = nullptr;
}

}  // namespace tandem::detail
