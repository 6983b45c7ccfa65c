#pragma once

#include <cstddef>

namespace tandem::testing {

/// Counts what is allocated on this thread while an object lives: a program with allocations.cpp in
/// it replaces operator new. One object at a time.
class allocation_count {
 public:
    /// `shows`: where each one came from is written to stderr.
    explicit allocation_count(bool shows = false) noexcept;
    ~allocation_count();
    allocation_count(const allocation_count&) = delete;
    allocation_count& operator=(const allocation_count&) = delete;

    std::size_t count() const noexcept;
};

}  // namespace tandem::testing
