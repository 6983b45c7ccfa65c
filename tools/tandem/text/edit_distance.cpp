#include "text/edit_distance.hpp"

#include <algorithm>
#include <numeric>

namespace tandem::command {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    auto above = row;
    auto second_above = row;
    for (std::size_t i = 0; i < a.size(); ++i) {
        second_above.swap(above);
        above.swap(row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto changed = above[j] + (a[i] == b[j] ? 0 : 1);
            row[j + 1] = std::min({changed, row[j] + 1, above[j + 1] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = std::min(row[j + 1], second_above[j - 1] + 1);
        }
    }
    return row.back();
}

std::string find_similar_name(const std::vector<std::string>& names, std::string_view given) {
    std::string best;
    auto best_distance = given.size() / 4 + 2;  // exclusive upper bound
    for (const auto& name : names) {
        const auto d = edit_distance(given, name);
        if (d >= best_distance) continue;
        best = name;
        best_distance = d;
    }
    return best;
}

}  // namespace tandem::command
