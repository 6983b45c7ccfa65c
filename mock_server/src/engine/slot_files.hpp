#pragma once

#include "engine/slot_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::mock {

/// Whether the server takes this as the name of a file.
bool is_file_name(std::string_view name);

/// How large the file of so many tokens is: as with the talk model, measured on llama-server
/// b11669.
std::int64_t file_size(std::size_t tokens);

/// What slots have saved, by name. Nothing is on disk.
class slot_files {
 public:
    /// As if the disk had room for so many.
    static constexpr std::size_t most_files = 256;

    /// Replaces a file of that name. False if there is no room for one more.
    bool save(const std::string& name, const slot& s);
    /// Without such a file the slot is emptied, as in the server, and this is false.
    bool restore(const std::string& name, slot& s) const;

 private:
    struct content {
        std::vector<token_id> tokens;
        std::vector<int> checkpoints;
    };
    std::map<std::string, content> files_;
};

}  // namespace tandem::mock
