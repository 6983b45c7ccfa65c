#pragma once

#include <cstddef>

namespace tandem::testing {

/// Counts the allocations of this thread during the lifetime of an object. A program that links
/// allocations.cpp replaces operator new. Each thread may have only one object at a time.
class allocation_count {
 public:
    /// `shows`: writes a stack trace of each allocation to stderr.
    explicit allocation_count(bool shows = false) noexcept;
    ~allocation_count();
    allocation_count(const allocation_count&) = delete;
    allocation_count& operator=(const allocation_count&) = delete;

    std::size_t count() const noexcept;
};

}  // namespace tandem::testing
