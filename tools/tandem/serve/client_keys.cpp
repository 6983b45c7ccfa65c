#include "serve/client_keys.hpp"

#include "gateway/access/api_key_file.hpp"
#include "os/input_file.hpp"
#include "text/json_object.hpp"

#include <fmt/format.h>

namespace tandem::command {

std::vector<std::string> read_key_file(const std::string& path, gateway::api_keys& keys) {
    const auto file = read_file(path, gateway::max_key_file_bytes);
    if (!file.fault.empty()) return {file.fault};
    std::vector<std::string> faults;
    for (const auto& f : gateway::parse_api_keys(file.text, keys))
        faults.push_back(fmt::format("{}: {} {}", path, f.field, f.message));
    return faults;
}

std::string format_key_entry(std::string_view name, std::string_view sha256) {
    return json_object{}.field("name", name).field("sha256", sha256).finish();
}

// Validates the name with the parser of key files, using a dummy hash.
std::string key_name_fault(std::string_view name) {
    const auto file =
        fmt::format(R"({{"keys":[{}]}})", format_key_entry(name, std::string(64, 'a')));
    gateway::api_keys keys;
    const auto faults = gateway::parse_api_keys(file, keys);
    return faults.empty() ? "" : faults.front().message;
}

}  // namespace tandem::command
