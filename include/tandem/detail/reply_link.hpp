#pragma once

#include "tandem/chunk.hpp"
#include "tandem/detail/any_completion.hpp"
#include "tandem/error.hpp"
#include "tandem/result.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tandem::detail {

class reply_shell;
/// Handlers that wait for something from a reply; the diagnostics explain the error.
using next_chunk_completion = any_completion<error_code, diagnostics, std::optional<chunk>>;
using speech_completion = any_completion<error_code, diagnostics, std::string>;
using calls_completion = any_completion<error_code, diagnostics, called_functions>;

/// Number of interrupts of a conversation. Each interrupt also ends the replies that began before
/// it.
using interrupt_count = std::shared_ptr<const std::atomic<std::uint64_t>>;

/// A link to a reply. The link may outlive the reply and its execution context, and records whether
/// the reply was interrupted. Thread-safe.
class reply_link {
 public:
    explicit reply_link(boost::asio::any_io_executor strand, interrupt_count interrupts = nullptr);

    /// Sets the reply. Call it before the link is shared.
    void set_shell(std::weak_ptr<reply_shell> shell);
    /// Posts `f` to the strand. `f` is not called if the reply is gone by then.
    void post(std::function<void(reply_shell&)> f);
    /// Completes with the end of an interrupted reply instead of the chunk `withheld`, even if the
    /// interrupt has not reached the reply yet.
    void complete_with_end(chunk_id withheld, next_chunk_completion handler);
    /// Releases the execution context, which is not used afterwards.
    void cut() noexcept;

    /// From now on, no chunk is delivered, not even one whose completion was posted.
    void interrupt() noexcept { interrupted_.store(true); }
    bool is_interrupted() const noexcept {
        return interrupted_.load() || (interrupts_ && interrupts_->load() != interrupts_before_);
    }

 private:
    std::mutex mutex_;
    boost::asio::any_io_executor strand_;
    std::weak_ptr<reply_shell> shell_;
    std::atomic<bool> interrupted_{false};
    const interrupt_count interrupts_;
    const std::uint64_t interrupts_before_;
};

}  // namespace tandem::detail
