#include "wire/json/json_path.hpp"

#include "wire/json/json.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tandem::wire {
namespace {

/// An object or a list that is open while the text is read.
struct level {
    bool is_list = false;
    std::size_t values = 0;
    std::unordered_set<std::string> names{};
    const std::string* name = nullptr;  // the newest of `names`
};

bool looks_like_a_field(std::string_view name) {
    constexpr std::size_t longest = 32;  // shorter than an API key
    constexpr auto characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return !name.empty() && name.size() <= longest &&
           name.find_first_not_of(characters) == std::string_view::npos;
}

std::string path_of(const std::vector<level>& open) {
    std::string at;
    for (const auto& l : open)
        at = l.is_list ? fmt::format("{}[{}]", at, l.values - 1) : append_field_path(at, *l.name);
    return at;
}

/// Receives the parser's events, and keeps no value; returning false stops the parser.
class duplicate_finder {
 public:
    bool null() { return count(); }
    bool boolean(bool) { return count(); }
    bool number_integer(std::int64_t) { return count(); }
    bool number_unsigned(std::uint64_t) { return count(); }
    bool number_float(double, const std::string&) { return count(); }
    bool string(std::string&) { return count(); }
    bool binary(json::binary_t&) { return count(); }
    bool key(std::string& name) {
        auto& here = open_.back();
        const auto [place, is_new] = here.names.insert(std::move(name));
        here.name = &*place;
        if (!is_new) path_ = path_of(open_);
        return is_new;
    }
    bool start_object(std::size_t) { return open(false); }
    bool end_object() { return close(); }
    bool start_array(std::size_t) { return open(true); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t, const std::string&, const json::exception&) { return false; }

    std::optional<std::string> path() && { return std::move(path_); }

 private:
    bool count() noexcept {
        if (!open_.empty()) ++open_.back().values;
        return true;
    }
    bool open(bool is_list) {
        count();
        open_.push_back({.is_list = is_list});
        return true;
    }
    bool close() noexcept {
        open_.pop_back();
        return true;
    }

    std::vector<level> open_;
    std::optional<std::string> path_;
};

}  // namespace

std::string append_field_path(std::string_view at, std::string_view name) {
    const auto last = looks_like_a_field(name) ? std::string(name)
                                               : fmt::format("(name of {} bytes)", name.size());
    return at.empty() ? last : fmt::format("{}.{}", at, last);
}

std::optional<std::string> find_duplicate_field(std::string_view text) {
    duplicate_finder finder;
    json::sax_parse(text, &finder);
    return std::move(finder).path();
}

}  // namespace tandem::wire
