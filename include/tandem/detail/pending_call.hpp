#pragma once

#include "tandem/detail/any_completion.hpp"
#include "tandem/error.hpp"

#include <boost/asio/error.hpp>

#include <cstdint>

namespace tandem::detail {

/// A call of a client, conversation or service from its start to its completion.
template <class... Results>
struct pending_call {
    /// Empty once completed.
    any_completion<error_code, Results...> handler;
    diagnostics* diag = nullptr;
    /// What the server calls name it by; 0 if there is no request of its own.
    std::uint64_t request = 0;

    /// Completes with operation_aborted; gives the request that no one waits for now, or 0.
    std::uint64_t abort() {
        if (!handler) return 0;
        handler.complete(boost::asio::error::operation_aborted, Results{}...);
        return request;
    }
};

}  // namespace tandem::detail
