#include "os/event_loops.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <thread>
#include <utility>

namespace tandem::command {
namespace {

/// Threads that are waited for, once their loops are stopped.
class loop_threads {
 public:
    explicit loop_threads(event_loops& loops) : loops_(loops) {}
    ~loop_threads() {
        loops_.stop();
        for (auto& t : threads_) t.join();
    }
    loop_threads(const loop_threads&) = delete;
    loop_threads& operator=(const loop_threads&) = delete;

    template <class Function>
    void start(Function f) {
        threads_.emplace_back(std::move(f));
    }

 private:
    event_loops& loops_;
    std::vector<std::thread> threads_;
};

}  // namespace

event_loops::event_loops(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) loops_.emplace_back(1);  // thread
}

std::vector<boost::asio::any_io_executor> event_loops::executors() {
    std::vector<boost::asio::any_io_executor> all;
    for (auto& loop : loops_) all.push_back(loop.get_executor());
    return all;
}

void event_loops::run() {
    {
        loop_threads threads(*this);
        for (auto other = std::next(loops_.begin()); other != loops_.end(); ++other)
            threads.start([this, other] {
                const auto work = boost::asio::make_work_guard(*other);
                run_one(*other);
            });
        run_one(first());
    }
    if (failure_) std::rethrow_exception(failure_);
}

void event_loops::run_one(boost::asio::io_context& loop) try { loop.run(); } catch (...) {
    {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
    }
    stop();
}

void event_loops::stop() {
    for (auto& loop : loops_) loop.stop();
}

// What one loop throws must not keep the others from their last turns.
std::size_t event_loops::poll_one(boost::asio::io_context& loop) noexcept try {
    return loop.poll();
} catch (...) {
    return 1;
}

void event_loops::finish() {
    constexpr int most_rounds = 100;
    std::size_t done = 1;
    for (int round = 0; done > 0 && round < most_rounds; ++round) {
        done = 0;
        for (auto& loop : loops_) {
            loop.restart();
            done += poll_one(loop);
        }
    }
}

}  // namespace tandem::command
