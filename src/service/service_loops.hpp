#pragma once

#include "service/service_core.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tandem::detail {

/// The loops of a service: a core on each, with the conversations that work there. All functions
/// may be called from any thread.
class service_loops {
 public:
    /// Precondition: there is an executor.
    service_loops(const std::vector<boost::asio::any_io_executor>& executors,
                  const service_config& c);
    /// Ends the conversations of all loops, there.
    ~service_loops();
    service_loops(const service_loops&) = delete;
    service_loops& operator=(const service_loops&) = delete;

    std::size_t size() const noexcept { return cores_.size(); }
    /// Throws std::out_of_range where there is none.
    const std::shared_ptr<service_core>& at(std::size_t loop) const { return cores_.at(loop); }
    const std::shared_ptr<service_core>& first() const noexcept { return cores_.front(); }
    const std::shared_ptr<service_core>& next() noexcept {
        return cores_[turns_.fetch_add(1, std::memory_order_relaxed) % cores_.size()];
    }
    const service_config& config() const noexcept { return first()->config(); }

 private:
    std::vector<std::shared_ptr<service_core>> cores_;
    std::atomic<std::size_t> turns_{0};
};

}  // namespace tandem::detail
