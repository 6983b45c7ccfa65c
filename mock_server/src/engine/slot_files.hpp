#pragma once

#include "engine/slot_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::mock {

/// Whether the server accepts this file name.
bool is_file_name(std::string_view name);

/// Size of a file with this many tokens, as measured with the talk model on llama-server b11669.
std::int64_t file_size(std::size_t tokens);

/// Saved slots by file name, kept in memory.
class slot_files {
 public:
    /// Further files cannot be saved, as if the disk were full.
    static constexpr std::size_t max_files = 256;

    /// Replaces a file of the same name. Returns false if there are too many files.
    bool save(const std::string& name, const slot& s);
    /// Like the server, empties the slot and returns false if there is no such file.
    bool restore(const std::string& name, slot& s) const;

 private:
    struct content {
        std::vector<token_id> tokens;
        std::vector<int> checkpoints;
    };
    std::map<std::string, content> files_;
};

}  // namespace tandem::mock
