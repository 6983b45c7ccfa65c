#pragma once

#include "chat/function_file.hpp"
#include "chat/function_result.hpp"
#include "os/coroutines.hpp"
#include "sound/subprocess.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace tandem::command {

/// Runs the functions that one reply calls, all concurrently. Owned by shared_ptr; to be used on
/// one thread.
class function_runner : public std::enable_shared_from_this<function_runner> {
 public:
    using listener = std::function<void(const function_result&)>;

    /// `on_result` receives each result as soon as it is available. `functions` must outlive the
    /// calls.
    function_runner(boost::asio::any_io_executor executor,
                    const std::vector<command_function>& functions, listener on_result);

    /// Must be called at most once.
    void start(const std::vector<tool_call>& calls);
    /// Waits for the end of all calls. Only one caller may wait.
    awaitable<void> wait();
    /// Kills the running programs, whose calls then have the outcome `interrupted`.
    void stop();

    bool was_stopped() const noexcept { return stopped_; }
    /// In the order of the calls.
    const std::vector<function_result>& results() const noexcept { return results_; }

 private:
    const command_function* find(const std::string& name) const;
    awaitable<void> run(std::size_t index);
    awaitable<void> run_program(const command_function& f, function_result& result);

    boost::asio::any_io_executor executor_;
    const std::vector<command_function>& functions_;
    listener on_result_;
    std::vector<function_result> results_;
    std::vector<std::shared_ptr<subprocess>> programs_;
    std::size_t running_ = 0;
    bool stopped_ = false;
    boost::asio::steady_timer all_ended_;  // cancelled at the end of the last call
};

}  // namespace tandem::command
