#include "bench/bench_mock.hpp"

#include <stdexcept>

namespace tandem::command {

class bench_mock::servers {};

bool has_mock() noexcept {
    return false;
}

bench_mock::bench_mock(int, double) {
    throw std::logic_error("this command was built without the mock server");
}

bench_mock::~bench_mock() = default;

std::vector<std::string> bench_mock::urls() const {
    return {};
}

int bench_mock::slots() const noexcept {
    return 0;
}

std::vector<observed_cut> bench_mock::cuts() const {
    return {};
}

}  // namespace tandem::command
