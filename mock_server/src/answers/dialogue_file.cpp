#include "tandem_mock/dialogue.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace tandem::mock {
namespace {

dialogue parse_dialogue(const std::string& line) {
    const auto json = nlohmann::json::parse(line);
    dialogue d;
    d.id = json.value("id", "");
    for (const auto& m : json.at("messages")) {
        d.messages.push_back({m.at("role").get<std::string>(), m.at("content").get<std::string>()});
    }
    return d;
}

}  // namespace

std::vector<dialogue> load_dialogues(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    std::vector<dialogue> dialogues;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        try {
            dialogues.push_back(parse_dialogue(line));
        } catch (const nlohmann::json::exception& e) {
            throw std::runtime_error(path + ":" + std::to_string(number) + ": " + e.what());
        }
    }
    return dialogues;
}

}  // namespace tandem::mock
