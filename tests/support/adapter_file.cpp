#include "support/adapter_file.hpp"

#include <bit>
#include <fstream>
#include <random>
#include <string_view>
#include <vector>

namespace tandem::testing {
namespace {

// The dimensions of the talk model (tests/model/network.py).
constexpr int layers = 3;
constexpr std::uint64_t hidden = 384;
constexpr std::uint64_t width = 128;

constexpr float max_weight = 0.5f;
constexpr std::size_t alignment = 32;

enum value_type : std::uint32_t { f32_value = 6, string_value = 8 };
enum tensor_type : std::uint32_t { f32_tensor = 0 };

static_assert(std::endian::native == std::endian::little, "GGUF is little-endian");

// Builds the two parts of a GGUF file: the tensor descriptions and the tensor data.
class adapter_text {
 public:
    explicit adapter_text(std::uint32_t seed) : random_(seed) {}

    std::string made() {
        for (int layer = 0; layer < layers; ++layer) {
            const auto name = "blk." + std::to_string(layer) + ".ffn_down.weight.";
            add_tensor(name + "lora_a", hidden, 1);
            add_tensor(name + "lora_b", 1, width);
        }
        std::string file = "GGUF";
        put(file, std::uint32_t{3});
        put(file, std::uint64_t{2 * layers});
        put_values(file);
        file += tensors_;
        file.resize(padded(file.size()));
        return file + numbers_;
    }

 private:
    template <class Number>
    static void put(std::string& out, Number n) {
        out.append(reinterpret_cast<const char*>(&n), sizeof n);
    }
    static void put_text(std::string& out, std::string_view text) {
        put(out, std::uint64_t{text.size()});
        out += text;
    }
    static std::size_t padded(std::size_t size) {
        return (size + alignment - 1) / alignment * alignment;
    }
    static void put_values(std::string& out) {
        put(out, std::uint64_t{4});
        for (const auto& [key, value] :
             {std::pair("general.type", "adapter"), std::pair("general.architecture", "llama"),
              std::pair("adapter.type", "lora")}) {
            put_text(out, key);
            put(out, std::uint32_t{string_value});
            put_text(out, value);
        }
        put_text(out, "adapter.lora.alpha");
        put(out, std::uint32_t{f32_value});
        put(out, 1.0f);
    }
    void add_tensor(const std::string& name, std::uint64_t columns, std::uint64_t rows) {
        put_text(tensors_, name);
        put(tensors_, std::uint32_t{2});
        put(tensors_, columns);
        put(tensors_, rows);
        put(tensors_, std::uint32_t{f32_tensor});
        put(tensors_, std::uint64_t{numbers_.size()});
        std::uniform_real_distribution<float> weight(-max_weight, max_weight);
        for (std::uint64_t i = 0; i < columns * rows; ++i) put(numbers_, weight(random_));
        numbers_.resize(padded(numbers_.size()));
    }

    std::mt19937 random_;
    std::string tensors_;
    std::string numbers_;
};

}  // namespace

void write_adapter(const std::string& file, std::uint32_t seed) {
    std::ofstream(file, std::ios::binary) << adapter_text(seed).made();
}

}  // namespace tandem::testing
