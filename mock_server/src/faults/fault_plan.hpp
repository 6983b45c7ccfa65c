#pragma once

#include "tandem_mock/fault.hpp"

#include <deque>
#include <mutex>
#include <optional>

namespace tandem::mock {

/// Assigns faults to requests. Thread-safe.
class fault_plan {
 public:
    void add(fault f, time_point now);
    void clear();

    /// Returns the fault for this request, if any, and counts one use of the fault.
    std::optional<fault> use_fault_for(const request_record& request, time_point now);

 private:
    struct entry {
        fault what;
        int left;   // remaining uses
        int skips;  // requests to skip first
        std::optional<time_point> until;
    };
    static bool matches(const entry& e, const request_record& request);

    std::mutex mutex_;
    std::deque<entry> entries_;  // guarded by mutex_
};

/// `f.text`, or a default.
std::string fault_message(const fault& f);

/// How long the fault lasts, if a `duration` of 0 means forever.
std::chrono::nanoseconds fault_duration(const fault& f);

/// Whether the fault affects generation (engine) rather than sending (response_writer).
bool is_engine_fault(const fault& f);

}  // namespace tandem::mock
