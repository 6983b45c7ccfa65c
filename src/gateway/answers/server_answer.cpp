#include "gateway/answers/server_answer.hpp"

#include "gateway/json/field_reader.hpp"
#include "gateway/json/json_text.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

json json_of(const model_server& server) {
    const auto& s = server.status;
    return {{"id", make_server_id(s.url)},
            {"object", "server"},
            {"model", server.model},
            {"url", transport::without_credentials(s.url)},
            {"state", to_string(s.state)},
            {"draining", s.draining},
            {"circuit_open", s.circuit_open},
            {"slots", s.slots},
            {"conversations", s.conversations},
            {"replies_running", s.generating},
            {"queue_depth", s.waiting}};
}

}  // namespace

std::string make_server_id(std::string_view url) {
    const auto identity = transport::parse_server_url(url).url.identity;
    return identity.substr(identity.find("//") + 2);
}

bool is_server_id(std::string_view id, std::string_view url) {
    return transport::is_same_server(fmt::format("http://{}", id), url) ||
           transport::is_same_server(fmt::format("https://{}", id), url);
}

std::string server_list_body(const std::vector<model_server>& servers) {
    auto data = json::array();
    for (const auto& s : servers) data.push_back(json_of(s));
    return dump_json(json{{"object", "list"}, {"data", std::move(data)}});
}

std::string server_body(const model_server& server) {
    return dump_json(json_of(server));
}

api_error make_server_not_found_error(std::string_view id) {
    return make_error(
        404, "server_not_found",
        fmt::format("there is no server \"{}\"; GET /admin/servers lists them", quote_text(id)));
}

}  // namespace tandem::gateway
