#pragma once

#include <cstdint>
#include <string>

namespace tandem::testing {

/// Writes a rank-1 LoRA adapter for the talk model to a GGUF file. The adapter changes every layer.
/// `seed` sets its random weights, which are large enough to turn the model's text into nonsense.
void write_adapter(const std::string& file, std::uint32_t seed);

}  // namespace tandem::testing
