#include "gateway/json/json_path.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// Tracks the fields of all open objects. Returning false stops the parser.
class field_watch {
 public:
    bool null() { return value(); }
    bool boolean(bool) { return value(); }
    bool number_integer(std::int64_t) { return value(); }
    bool number_unsigned(std::uint64_t) { return value(); }
    bool number_float(double, const std::string&) { return value(); }
    bool string(std::string&) { return value(); }
    bool binary(json::binary_t&) { return value(); }
    bool start_object(std::size_t) { return open({}); }
    bool start_array(std::size_t) { return open({.is_list = true}); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t, const std::string&, const json::exception&) { return false; }

    bool key(std::string& name) {
        auto& here = open_.back();
        here.name = name;
        if (here.names.insert(name).second) return true;
        repeated_ = path();
        return false;
    }

    std::optional<std::string> repeated() && { return std::move(repeated_); }

 private:
    struct level {
        bool is_list = false;
        std::size_t values = 0;
        std::string name{};
        std::set<std::string> names{};
    };

    bool value() {
        if (!open_.empty()) ++open_.back().values;
        return true;
    }
    bool open(level inside) {
        value();
        open_.push_back(std::move(inside));
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }
    std::string path() const {
        std::string at;
        for (const auto& l : open_)
            at =
                l.is_list ? fmt::format("{}[{}]", at, l.values - 1) : append_field_path(at, l.name);
        return at;
    }

    std::vector<level> open_;
    std::optional<std::string> repeated_;
};

bool looks_like_a_field(std::string_view name) {
    constexpr std::size_t longest = 32;  // shorter than an API key
    constexpr auto characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !name.empty() && name.size() <= longest &&
           name.find_first_not_of(characters) == std::string_view::npos;
}

}  // namespace

std::string append_field_path(std::string_view at, std::string_view name) {
    const auto last = looks_like_a_field(name) ? std::string(name)
                                               : fmt::format("(name of {} bytes)", name.size());
    return at.empty() ? last : fmt::format("{}.{}", at, last);
}

std::optional<std::string> find_duplicate_field(std::string_view text) {
    field_watch watch;
    json::sax_parse(text, &watch);
    return std::move(watch).repeated();
}

}  // namespace tandem::gateway
