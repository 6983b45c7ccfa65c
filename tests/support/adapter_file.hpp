#pragma once

#include <cstdint>
#include <string>

namespace tandem::testing {

/// Writes a LoRA adapter for the talk model as a GGUF file: of rank 1, with random weights from
/// `seed`, so large that the model babbles with it. It changes what each layer makes of all.
void write_adapter(const std::string& file, std::uint32_t seed);

}  // namespace tandem::testing
