#pragma once

#include <chrono>

namespace tandem {

using duration = std::chrono::nanoseconds;

}  // namespace tandem
