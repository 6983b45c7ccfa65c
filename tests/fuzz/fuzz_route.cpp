#include "fuzzing.hpp"
#include "gateway/access/authorizer.hpp"
#include "gateway/access/routes.hpp"
#include "text/characters/utf8.hpp"

#include <algorithm>
#include <array>
#include <string>

// A request line gets the route whose pattern matches its path. A route that needs a key admits
// only requests with the right key, whatever the headers are.
namespace {

using namespace tandem;
using namespace tandem::gateway;

constexpr std::array<std::string_view, 5> methods{"GET", "HEAD", "POST", "PUT", "OPTIONS"};
constexpr std::string_view reader_key = "tdm_r";
constexpr std::string_view writer_key = "tdm_w";

const api_keys& keys() {
    static const api_keys list(
        {{.name = "reader", .sha256 = hash_sha256(reader_key).value(), .rights = {right::read}},
         {.name = "writer",
          .sha256 = hash_sha256(writer_key).value(),
          .rights = {right::generate}}});
    return list;
}

std::string encoded(std::string_view parameter) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : parameter) {
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

// If the parameter is inserted into the route's pattern, the resulting path must have the same
// route and parameter.
void require_right(const matched_route& found, std::string_view method) {
    const auto& r = *found.route;
    fuzzing::require(r.method == (method == "HEAD" ? "GET" : method));
    fuzzing::require(found.parameter.size() <= max_parameter_bytes);
    fuzzing::require(text::find_invalid_utf8(found.parameter) == std::string_view::npos);
    std::string path(r.path);
    if (const auto open = path.find('{'); open != path.npos)
        path.replace(open, path.find('}') + 1 - open, encoded(found.parameter));
    const auto again = match_route(method, path);
    fuzzing::require(std::get<matched_route>(again).route == &r);
    fuzzing::require(std::get<matched_route>(again).parameter == found.parameter);
}

void require_refused(const api_error& e) {
    fuzzing::require(e.status == 404 || e.status == 405);
    fuzzing::require((e.status == 405) == !e.allow.empty());
    fuzzing::require(!e.message.empty() && e.message.size() < 512);
}

bool shows(const credentials& c, std::string_view key) {
    return c.authorization.find(key) != std::string_view::npos ||
           c.websocket_protocols.find(key) != std::string_view::npos;
}

void require_checked(const route& r, const credentials& c) {
    authorizer gate(keys());
    const auto checked = gate.authorize_request(r, c, time_point{});
    const auto* const who = std::get_if<admitted_request>(&checked);
    if (r.required_right == right::open) return fuzzing::require(who != nullptr);
    if (!who) {
        const int status = std::get<api_error>(checked).status;
        return fuzzing::require(status == 401 || status == 403);
    }
    fuzzing::require(who->key_name() == (r.required_right == right::read ? "reader" : "writer"));
    fuzzing::require(r.required_right == right::read || r.required_right == right::generate);
    fuzzing::require(shows(c, r.required_right == right::read ? reader_key : writer_key));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzzing::input in(data, size);
    const auto method = methods[in.number(methods.size() - 1)];
    const auto line = [&] {
        const auto end = std::min(in.rest().find('\n'), in.rest().size());
        const auto text = in.bytes(end);
        in.bytes(1);
        return text;
    };
    const auto target = line();
    const credentials shown{.authorization = line(),
                            .websocket_protocols = line(),
                            .foreign_origin = line(),
                            .remote = "127.0.0.1"};
    const auto found = match_route(method, target);
    if (const auto* const e = std::get_if<api_error>(&found)) {
        require_refused(*e);
    } else {
        require_right(std::get<matched_route>(found), method);
        require_checked(*std::get<matched_route>(found).route, shown);
    }
    return 0;
}
