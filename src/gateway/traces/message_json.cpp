#include "gateway/traces/message_json.hpp"

#include "gateway/json/json_text.hpp"

#include <nlohmann/json.hpp>

namespace tandem::gateway {

std::string encode_messages(const std::vector<chat_message>& messages,
                            std::string_view finish_reason) {
    using json = nlohmann::ordered_json;
    auto list = json::array();
    for (const auto& m : messages) {
        auto parts = json::array();
        parts.push_back({{"type", "text"}, {"content", m.content}});
        json message{{"role", m.role}, {"parts", std::move(parts)}};
        if (!finish_reason.empty()) message["finish_reason"] = finish_reason;
        list.push_back(std::move(message));
    }
    return dump_json(list);
}

}  // namespace tandem::gateway
