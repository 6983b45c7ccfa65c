#include "answers/adapters.hpp"

#include "answers/json_text.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <utility>

namespace tandem::mock {

using nlohmann::json;

adapter_scales read_adapters(const json& list, std::size_t count) {
    adapter_scales scales(count, 0.0);
    for (const auto& item : list) {
        if (!item.is_object()) continue;
        const auto id = item.find("id");
        const auto scale = item.find("scale");
        if (id == item.end() || !id->is_number_unsigned() || id->get<std::size_t>() >= count)
            continue;
        const bool has_scale = scale != item.end() && scale->is_number();
        scales[id->get<std::size_t>()] = has_scale ? scale->get<double>() : 0.0;
    }
    return scales;
}

adapters::adapters(std::vector<std::string> paths)
    : paths_(std::move(paths)), scales_(paths_.size(), 1.0) {}

std::string adapters::list() const {
    auto out = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < paths_.size(); ++i)
        out.push_back({{"id", i},
                       {"path", paths_[i]},
                       {"scale", scales_[i]},
                       {"task_name", ""},
                       {"prompt_prefix", ""}});
    return json_text(out);
}

void adapters::set(const std::string& body) {
    const auto list = json::parse(body);
    if (!list.is_array()) throw std::invalid_argument("Request body must be an array");
    scales_ = read_adapters(list, paths_.size());
}

}  // namespace tandem::mock
