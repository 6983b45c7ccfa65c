#include "engine/slot_files.hpp"

#include <algorithm>

namespace tandem::mock {
namespace {

constexpr std::size_t max_name_bytes = 255;
constexpr std::string_view forbidden = "/\\:*?\"<>|\x7F";

bool is_allowed(char c) {
    return static_cast<unsigned char>(c) >= 0x20 && forbidden.find(c) == forbidden.npos;
}

}  // namespace

bool is_file_name(std::string_view name) {
    if (name.empty() || name.size() > max_name_bytes) return false;
    if (name.front() == ' ' || name.back() == ' ' || name.back() == '.') return false;
    return name.find("..") == name.npos && std::all_of(name.begin(), name.end(), is_allowed);
}

std::int64_t file_size(std::size_t tokens) {
    constexpr std::int64_t of_none = 40, of_any = 128, of_each = 1552;
    return tokens == 0 ? of_none : of_any + of_each * static_cast<std::int64_t>(tokens);
}

bool slot_files::save(const std::string& name, const slot& s) {
    if (files_.size() >= max_files && !files_.contains(name)) return false;
    files_[name] = {s.tokens, s.checkpoints};
    return true;
}

bool slot_files::restore(const std::string& name, slot& s) const {
    s.clear();
    const auto found = files_.find(name);
    if (found == files_.end()) return false;
    s.tokens = found->second.tokens;
    s.checkpoints = found->second.checkpoints;
    return true;
}

}  // namespace tandem::mock
