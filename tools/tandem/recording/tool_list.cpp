#include "recording/tool_list.hpp"

#include "wire/json/dump_json.hpp"

#include "tandem/config.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tandem::command {
namespace {

using ordered_json = nlohmann::ordered_json;

class tool_list_reader {
 public:
    tool_list_reader(std::string where, std::vector<std::string>& faults)
        : where_(std::move(where)), faults_(faults) {}

    tool_list read(const ordered_json& list);

 private:
    void read_tool(const std::string& at, const ordered_json& tool);
    std::string read_function(const std::string& at, const ordered_json& function);
    void check_unique(const std::string& at, const std::string& name);
    void check_rest();
    template <class... Args>
    void add(fmt::format_string<Args...> text, Args&&... args) {
        faults_.push_back(fmt::format(text, std::forward<Args>(args)...));
    }

    std::string where_;
    std::vector<std::string>& faults_;
    tool_list result_;
};

tool_list tool_list_reader::read(const ordered_json& list) {
    if (!list.is_array() || list.empty()) {
        add("{} must be a non-empty list of functions", where_.empty() ? "the file" : where_);
        return {};
    }
    const auto known_faults = faults_.size();
    for (std::size_t i = 0; i < list.size(); ++i)
        read_tool(fmt::format("{}[{}]", where_, i), list[i]);
    result_.text = wire::dump_json(list);
    if (faults_.size() == known_faults) check_rest();
    return std::move(result_);
}

void tool_list_reader::read_tool(const std::string& at, const ordered_json& tool) {
    auto& name = result_.names.emplace_back();
    if (!tool.is_object()) return add("{} must be an object, not {}", at, tool.type_name());
    for (const auto& [member, _] : tool.items())
        if (member != "type" && member != "function") add("{}: unknown field \"{}\"", at, member);
    if (tool.value("type", ordered_json()) != "function") add("{}.type must be \"function\"", at);
    name = read_function(at + ".function", tool.value("function", ordered_json()));
    if (!name.empty()) check_unique(at, name);
}

std::string tool_list_reader::read_function(const std::string& at, const ordered_json& function) {
    if (!function.is_object()) {
        add("{} must be an object with a name", at);
        return {};
    }
    if (function.contains("parameters") && !function["parameters"].is_object())
        add("{}.parameters must be a JSON schema", at);
    const auto name = function.value("name", ordered_json());
    auto text = name.is_string() ? name.get<std::string>() : std::string();
    if (text.empty()) add("{}.name must be a non-empty string", at);
    return text;
}

void tool_list_reader::check_unique(const std::string& at, const std::string& name) {
    const auto& names = result_.names;
    const auto first = std::ranges::find(names, name) - names.begin();
    if (first + 1 < std::ssize(names))
        add("{}.function.name is \"{}\", as in {}[{}]", at, name, where_, first);
}

// Applies the library's checks, such as the size limit.
void tool_list_reader::check_rest() {
    config c;
    c.generation.tools = result_.text;
    for (const auto& fault : check(c))
        if (fault.field == "tools")
            add("{} {}", where_.empty() ? "the list" : where_, fault.message);
}

}  // namespace

tool_list read_tool_list(const ordered_json& list, const std::string& where,
                         std::vector<std::string>& faults) {
    return tool_list_reader(where, faults).read(list);
}

}  // namespace tandem::command
