#include "gateway/access/api_key_file.hpp"

#include "gateway/access/model_name.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/json_path.hpp"

#include <boost/algorithm/hex.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr auto atomic_file = "key file";
constexpr int max_depth = 8;  // a valid file has 4 levels
constexpr std::size_t max_values = 100'000;
constexpr std::size_t max_faults = 100;
constexpr std::size_t max_name_bytes = 64;
constexpr std::size_t max_models = 1000;
constexpr std::int64_t max_count = 1'000'000;
constexpr std::int64_t max_tokens = 1'000'000'000;
constexpr auto hex_digits = "0123456789abcdefABCDEF";

bool is_printable(char c) noexcept {
    return c >= 0x20 && c < 0x7F;
}

class key_file_reader {
 public:
    std::vector<api_key> read(const json& root) {
        std::vector<api_key> keys;
        if (!check_object(root, atomic_file)) return keys;
        for (const auto& [name, value] : root.items())
            if (name == "keys")
                keys = read_list(value);
            else
                add(wire::append_field_path("", name),
                    "is not a field of a key file, which has only keys");
        if (!root.contains("keys")) add("keys", "is missing");
        check_repeated(keys);
        return keys;
    }
    std::vector<config_fault> faults() && { return std::move(faults_); }

 private:
    using read_function = void (key_file_reader::*)(const json&, const std::string&, api_key&);
    struct field {
        std::string_view name;
        read_function read;
    };
    static const std::array<field, 8> fields;

    void add(std::string at, std::string message) {
        if (faults_.size() < max_faults) faults_.push_back({std::move(at), std::move(message)});
    }
    bool check_type(bool is_expected, const json& value, const std::string& at,
                    const char* expected) {
        if (!is_expected)
            add(at, fmt::format("is of type {}, but must be {}", value.type_name(), expected));
        return is_expected;
    }
    bool check_object(const json& value, const std::string& at) {
        return check_type(value.is_object(), value, at, "an object");
    }

    std::vector<api_key> read_list(const json& list) {
        std::vector<api_key> keys;
        if (!check_type(list.is_array(), list, "keys", "a list")) return keys;
        // An operator who writes an empty list means to lock everyone out, but an empty key set
        // would disable authentication.
        if (list.empty()) add("keys", "is empty; use no key file if no key is required");
        if (list.size() > max_keys)
            add("keys", fmt::format("has {} keys; the maximum is {}", list.size(), max_keys));
        for (std::size_t i = 0; i < std::min(list.size(), max_keys); ++i)
            read_key(list[i], fmt::format("keys[{}]", i), keys.emplace_back());
        return keys;
    }

    void read_key(const json& object, const std::string& at, api_key& key) {
        if (!check_object(object, at)) return;
        for (const auto& [name, value] : object.items()) {
            const auto known = std::ranges::find(fields, name, &field::name);
            if (known != fields.end())
                (this->*known->read)(value, wire::append_field_path(at, name), key);
            else
                add(wire::append_field_path(at, name),
                    fmt::format("is not a field of a key, which has {}", list_fields()));
        }
        for (const auto* const needed : {"name", "sha256"})
            if (!object.contains(needed)) add(wire::append_field_path(at, needed), "is missing");
    }

    static std::string list_fields() {
        std::string names;
        for (const auto& f : fields)
            names += fmt::format("{}{}", names.empty() ? "" : ", ", f.name);
        return names;
    }

    void read_name(const json& value, const std::string& at, api_key& key) {
        if (!check_type(value.is_string(), value, at, "a string")) return;
        const auto& name = value.get_ref<const std::string&>();
        if (name.empty() || name.size() > max_name_bytes ||
            !std::ranges::all_of(name, is_printable))
            return add(at,
                       fmt::format("must be 1 to {} printable ASCII characters", max_name_bytes));
        if (name == anonymous_name)
            return add(at, "must not be anonymous, which is the name of clients without a key");
        if (name.starts_with(key_prefix))
            return add(at, "begins like a key; names are written to logs");
        key.name = name;
    }

    void read_sha256(const json& value, const std::string& at, api_key& key) {
        if (!check_type(value.is_string(), value, at, "a string")) return;
        const auto& digits = value.get_ref<const std::string&>();
        if (digits.size() != 2 * key.sha256.size() ||
            digits.find_first_not_of(hex_digits) != std::string::npos)
            return add(at, "must be 64 hexadecimal digits: the SHA-256 of the key, not the key");
        boost::algorithm::unhex(digits, key.sha256.begin());
        if (key.sha256 == hash_sha256("") || key.sha256 == key_hash{})
            add(at, "is not the hash of a key");
    }

    void read_rights(const json& value, const std::string& at, api_key& key) {
        if (!check_type(value.is_array(), value, at, "a list")) return;
        if (value.empty()) return add(at, "is empty; the key would have no rights");
        key.rights = {};
        for (std::size_t i = 0; i < value.size(); ++i) {
            const auto* const known = std::ranges::find_if(
                rights_of_keys, [&](right r) { return value[i] == to_string(r); });
            if (known == rights_of_keys.end())
                add(fmt::format("{}[{}]", at, i), "must be generate, read, metrics or admin");
            else
                key.rights.insert(*known);
        }
    }

    void read_models(const json& value, const std::string& at, api_key& key) {
        if (!check_type(value.is_array(), value, at, "a list")) return;
        if (value.empty()) return add(at, "is empty; omit it to allow all models");
        if (value.size() > max_models)
            return add(at,
                       fmt::format("has {} names; the maximum is {}", value.size(), max_models));
        for (std::size_t i = 0; i < value.size(); ++i)
            read_model(value[i], fmt::format("{}[{}]", at, i), key);
    }

    void read_model(const json& value, const std::string& at, api_key& key) {
        if (!check_type(value.is_string(), value, at, "a string")) return;
        const auto& model = value.get_ref<const std::string&>();
        if (model.empty() || model.size() > max_model_name_bytes)
            return add(at, fmt::format("has {} bytes; it must have 1 to {}", model.size(),
                                       max_model_name_bytes));
        key.models.push_back(model);
    }

    void read_priority(const json& value, const std::string& at, api_key& key) {
        for (const auto p : {reply_priority::low, reply_priority::normal, reply_priority::high}) {
            key.priority = p;
            if (value == to_string(p)) return;
        }
        add(at, "must be low, normal or high");
    }

    void read_number(const json& value, const std::string& at, std::int64_t most,
                     std::int64_t& out) {
        if (!check_type(value.is_number(), value, at, "a number")) return;
        if (!value.is_number_unsigned() ||
            value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
            return add(at, fmt::format("is {}; it must be a whole number from 0 to {}",
                                       value.dump(), most));
        out = value.get<std::int64_t>();
    }
    void read_requests(const json& value, const std::string& at, api_key& key) {
        read_number(value, at, max_count, key.requests_per_minute);
    }
    void read_tokens(const json& value, const std::string& at, api_key& key) {
        read_number(value, at, max_tokens, key.tokens_per_minute);
    }
    void read_concurrent(const json& value, const std::string& at, api_key& key) {
        read_number(value, at, max_count, key.concurrent);
    }

    void check_repeated(const std::vector<api_key>& keys) {
        std::map<std::string_view, std::size_t> names;
        std::map<key_hash, std::size_t> hashes;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (!keys[i].name.empty()) check_repeated(names, keys[i].name, i, "name");
            if (keys[i].sha256 != key_hash{}) check_repeated(hashes, keys[i].sha256, i, "sha256");
        }
    }
    template <class Map, class Value>
    void check_repeated(Map& known, const Value& value, std::size_t i, const char* what) {
        const auto [first, is_new] = known.emplace(value, i);
        if (!is_new)
            add(fmt::format("keys[{}].{}", i, what),
                fmt::format("is also the {} of keys[{}]", what, first->second));
    }

    std::vector<config_fault> faults_;
};

const std::array<key_file_reader::field, 8> key_file_reader::fields{{
    {"name", &key_file_reader::read_name},
    {"sha256", &key_file_reader::read_sha256},
    {"rights", &key_file_reader::read_rights},
    {"models", &key_file_reader::read_models},
    {"priority", &key_file_reader::read_priority},
    {"requests_per_minute", &key_file_reader::read_requests},
    {"tokens_per_minute", &key_file_reader::read_tokens},
    {"concurrent", &key_file_reader::read_concurrent},
}};

std::optional<config_fault> text_fault(std::string_view text) {
    constexpr wire::json_limits limits{.depth = max_depth, .values = max_values};
    if (auto fault = wire::describe_text_fault(text, max_key_file_bytes, limits); !fault.empty())
        return config_fault{atomic_file, std::move(fault)};
    if (auto field = wire::find_duplicate_field(text))
        return config_fault{std::move(*field), "appears twice"};
    return std::nullopt;
}

}  // namespace

std::vector<config_fault> parse_api_keys(std::string_view text, api_keys& out) {
    if (auto fault = text_fault(text)) return {std::move(*fault)};
    key_file_reader reader;
    auto keys = reader.read(json::parse(text, nullptr, false));
    auto faults = std::move(reader).faults();
    if (faults.empty()) out = api_keys(std::move(keys));
    return faults;
}

}  // namespace tandem::gateway
