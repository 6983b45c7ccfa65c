#pragma once

#include "tandem/chunk.hpp"
#include "tandem/detail/reply_link.hpp"
#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace tandem::detail {

/// Calls the handler of a reply's consumer on its associated executor. If the reply was interrupted
/// after the completion was posted, while the executor was busy, the handler gets the end of the
/// reply instead of a chunk, and an empty value instead of anything else.
template <class Handler, class Value>
struct consumer_delivery {
    using executor_type = boost::asio::associated_executor_t<Handler, boost::asio::any_io_executor>;
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    executor_type executor;
    std::shared_ptr<reply_link> link;
    diagnostics* diag;
    Handler handler;

    executor_type get_executor() const noexcept { return executor; }
    allocator_type get_allocator() const noexcept {
        return boost::asio::get_associated_allocator(handler);
    }

    void operator()(error_code ec, diagnostics why, Value value) {
        if (link->is_interrupted()) {
            if constexpr (std::is_same_v<Value, std::optional<chunk>>)
                if (value) return complete_with_end(value->id);
            value = {};
        }
        if (ec && diag) *diag = std::move(why);
        std::move(handler)(ec, std::move(value));
    }

 private:
    void complete_with_end(chunk_id withheld) {
        const auto ending = link;
        ending->complete_with_end(withheld, next_chunk_completion(std::move(*this), {}));
    }
};

}  // namespace tandem::detail
