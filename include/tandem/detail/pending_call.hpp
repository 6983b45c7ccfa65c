#pragma once

#include "tandem/detail/any_completion.hpp"
#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/error.hpp>

#include <functional>

namespace tandem::detail {

/// A call on a client, conversation or service, from start to completion. Once started, it is used
/// only on `strand`.
template <class... Results>
struct pending_call {
    /// Empty once completed.
    any_completion<error_code, Results...> handler;
    diagnostics* diag = nullptr;
    boost::asio::any_io_executor strand;
    /// Cuts the request of an aborted call; empty if the call has no request of its own.
    std::function<void()> cut;

    void abort() {
        if (!handler) return;
        handler.complete(boost::asio::error::operation_aborted, Results{}...);
        if (cut) cut();
    }
};

}  // namespace tandem::detail
