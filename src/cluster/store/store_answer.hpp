#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::cluster {

enum class answer_kind { nothing, integer, text, list, error };

struct store_answer {
    answer_kind kind = answer_kind::nothing;
    std::int64_t number = 0;
    /// The text or the error message.
    std::string text{};
    std::vector<store_answer> items{};

    bool is_list_of(std::size_t size) const noexcept {
        return kind == answer_kind::list && items.size() == size;
    }

    friend bool operator==(const store_answer&, const store_answer&) = default;
};

/// Receives the answer to a command; nullopt if there was none.
using store_answer_handler = std::function<void(const std::optional<store_answer>&)>;

}  // namespace tandem::cluster
