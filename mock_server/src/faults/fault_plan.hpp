#pragma once

#include "tandem_mock/fault.hpp"

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace tandem::mock {

/// Which fault happens to which request. Thread-safe.
class fault_plan {
 public:
    void add(fault f, time_point now);
    void clear();

    /// The fault that happens to this request, if one does; counts it as happened.
    std::optional<fault> take(const request_record& request, time_point now);

 private:
    struct entry {
        fault what;
        int left;   // times
        int skips;  // requests still let through
        std::optional<time_point> until;
    };
    static bool fits(const entry& e, const request_record& request);

    std::mutex mutex_;
    std::deque<entry> entries_;  // guarded by mutex_
};

/// `f.text`, or what is said without one.
std::string message_of(const fault& f);

/// How long a fault lasts of whose durations 0 is for ever.
std::chrono::nanoseconds lasting(const fault& f);

/// Whether the fault is one of generating (engine), not of sending (response_writer).
bool is_of_engine(const fault& f);

}  // namespace tandem::mock
