#include "allocations.hpp"

#include <array>
#include <cstdlib>
#include <execinfo.h>
#include <new>
#include <unistd.h>
#include <utility>

namespace {

thread_local bool is_counting = false;
thread_local bool is_showing = false;
thread_local std::size_t allocated = 0;

void show_caller() {
    // Does not show the memory that backtrace() itself allocates.
    if (!std::exchange(is_showing, false)) return;
    std::array<void*, 16> frames{};
    const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    backtrace_symbols_fd(frames.data(), depth, STDERR_FILENO);
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, "\n", 1);
    is_showing = true;
}

void* allocate(std::size_t bytes) {
    if (is_counting) {
        ++allocated;
        show_caller();
    }
    if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
    return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
    return allocate(bytes);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace tandem::testing {

allocation_count::allocation_count(bool shows) noexcept {
    allocated = 0;
    is_counting = true;
    is_showing = shows;
}

allocation_count::~allocation_count() {
    is_counting = is_showing = false;
}

std::size_t allocation_count::count() const noexcept {
    return allocated;
}

}  // namespace tandem::testing
