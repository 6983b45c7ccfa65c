#include "http/slot_action.hpp"

#include "engine/slot_files.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace tandem::mock {
namespace {

constexpr std::string_view slot_path = "/slots/";

int slot_of(const http_request& r) {
    const std::string number = r.path.substr(slot_path.size());
    int id = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
    if (error != std::errc() || end != number.data() + number.size())
        throw std::invalid_argument("Invalid slot ID");
    return id;
}

task_kind kind_of(const http_request& r) {
    if (r.query == "action=erase") return task_kind::erase;
    if (r.query == "action=save") return task_kind::save;
    if (r.query == "action=restore") return task_kind::restore;
    throw std::invalid_argument("Invalid action");
}

std::string file_of(const http_request& r) {
    auto name = nlohmann::json::parse(r.body).at("filename").get<std::string>();
    if (!is_file_name(name)) throw std::invalid_argument("Invalid filename");
    return name;
}

}  // namespace

bool is_slot_action(const http_request& r) {
    return r.method == "POST" && r.path.starts_with(slot_path);
}

std::variant<slot_action, api_error> parse_slot_action(const http_request& r, bool allowed) {
    if (!allowed)
        return make_error(501,
                          "This server does not support slots action. "
                          "Start it with `--slot-save-path`");
    try {
        slot_action a{.kind = task_kind::erase, .id_slot = slot_of(r)};
        a.kind = kind_of(r);
        if (a.kind != task_kind::erase) a.file = file_of(r);
        return a;
    } catch (const std::exception& e) {
        return make_error(400, e.what());
    }
}

}  // namespace tandem::mock
