#include "answers/api_error.hpp"

#include "answers/json_text.hpp"

#include <utility>

namespace tandem::mock {
namespace {

std::string type_of(int status) {
    switch (status) {
        case 400:
            return "invalid_request_error";
        case 401:
            return "authentication_error";
        case 404:
            return "not_found_error";
        case 501:
            return "not_supported_error";
        case 503:
            return "unavailable_error";
        default:
            return "server_error";
    }
}

}  // namespace

api_error make_error(int status, std::string message) {
    api_error e;
    e.status = status;
    e.type = type_of(status);
    e.message = std::move(message);
    return e;
}

std::string to_json(const api_error& e) {
    nlohmann::ordered_json body{{"code", e.status}, {"message", e.message}, {"type", e.type}};
    if (e.prompt_tokens >= 0) {
        body["n_prompt_tokens"] = e.prompt_tokens;
        body["n_ctx"] = e.context_size;
    }
    return json_text({{"error", body}});
}

}  // namespace tandem::mock
