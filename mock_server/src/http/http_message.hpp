#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tandem::mock {

struct http_request {
    std::string method;
    std::string path;
    std::string query;
    std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
    std::string body;
    bool keep_alive = true;
};

/// A non-streamed response.
struct http_reply {
    int status = 200;
    std::string body;
};

}  // namespace tandem::mock
