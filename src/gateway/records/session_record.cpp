#include "gateway/records/session_record.hpp"

#include "wire/json/json_limits.hpp"
#include "wire/json/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <type_traits>
#include <utility>

namespace tandem::gateway {
namespace {

using record_json = nlohmann::json;

constexpr int record_version = 1;
constexpr wire::json_limits record_limits{.depth = 8, .values = 20'000};

// These functions call `visit(const char* name, field&)` for each field.

template <class Visitor>
void visit_fields(recorded_chunk& r, Visitor&& visit) {
    visit("speech", r.speech);
    visit("tokens", r.tokens);
}

template <class Visitor>
void visit_fields(recorded_reply& r, Visitor&& visit) {
    visit("number", r.number);
    visit("turn", r.turn);
    visit("id", r.id);
    visit("chunks", r.chunks);
    visit("filler", r.filler);
    visit("text", r.text);
    visit("unspoken", r.unspoken);
    visit("outside_history", r.is_outside_history);
    visit("ended", r.is_ended);
}

template <class Visitor>
void visit_fields(recorded_turn& r, Visitor&& visit) {
    visit("number", r.number);
    visit("id", r.id);
    visit("options", r.options);
    visit("timeline", r.timeline);
    visit("has_called", r.has_called);
}

template <class Visitor>
void visit_fields(recorded_question& r, Visitor&& visit) {
    visit("turn", r.turn);
    visit("text", r.text);
}

template <class Visitor>
void visit_fields(recorded_end& r, Visitor&& visit) {
    visit("text", r.text);
    visit("turn", r.turn);
}

template <class Visitor>
void visit_fields(late_call& r, Visitor&& visit) {
    visit("id", r.id);
    visit("dropped", r.is_dropped);
}

template <class Visitor>
void visit_fields(session_record& r, Visitor&& visit) {
    visit("model", r.model);
    visit("asked_model", r.asked_model);
    visit("options", r.options);
    visit("interrupted_mark", r.interrupted_mark);
    visit("last_number", r.last_number);
    visit("conversation", r.conversation);
    visit("turn", r.turn);
    visit("unanswered", r.unanswered);
    visit("reply", r.reply);
    visit("reply_before", r.reply_before);
    visit("resumes", r.resumes);
    visit("ends", r.ends);
    visit("late_calls", r.late_calls);
}

template <class T>
record_json to_record_json(T& value);

template <class T>
record_json to_record_json(std::optional<T>& value) {
    return value ? to_record_json(*value) : record_json();
}

template <class T>
record_json to_record_json(std::vector<T>& list) {
    auto all = record_json::array();
    for (auto& item : list) all.push_back(to_record_json(item));
    return all;
}

template <class T>
record_json to_record_json(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
        return value;
    } else {
        record_json object = record_json::object();
        visit_fields(value,
                     [&](const char* name, auto& field) { object[name] = to_record_json(field); });
        return object;
    }
}

/// Reads values into the record, and keeps the first fault.
class record_reader {
 public:
    bool read(record_json& v, const std::string& at, std::string& out) {
        if (!v.is_string()) return fail(at, "must be a string");
        out = std::move(v.get_ref<std::string&>());
        return true;
    }
    bool read(record_json& v, const std::string& at, bool& out) {
        if (!v.is_boolean()) return fail(at, "must be true or false");
        out = v.get<bool>();
        return true;
    }
    template <class Number>
    requires std::is_integral_v<Number>
    bool read(record_json& v, const std::string& at, Number& out) {
        constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
        if (!v.is_number_unsigned() || v.get<std::uint64_t>() > most)
            return fail(at, fmt::format("must be a whole number from 0 to {}", most));
        out = v.get<Number>();
        return true;
    }
    template <class T>
    bool read(record_json& v, const std::string& at, std::optional<T>& out) {
        return v.is_null() || read(v, at, out.emplace());
    }
    template <class T>
    bool read(record_json& v, const std::string& at, std::vector<T>& out) {
        if (!v.is_array()) return fail(at, "must be a list");
        out.resize(v.size());
        for (std::size_t i = 0; i < out.size(); ++i)
            if (!read(v[i], fmt::format("{}[{}]", at, i), out[i])) return false;
        return true;
    }
    template <class T>
    requires std::is_class_v<T>
    bool read(record_json& v, const std::string& at, T& out) {
        if (!v.is_object()) return fail(at, "must be an object");
        bool is_read = true;
        visit_fields(out, [&](const char* name, auto& field) {
            const auto found = v.find(name);
            if (!is_read || found == v.end()) return;
            is_read = read(*found, fmt::format("{}.{}", at, name), field);
        });
        return is_read;
    }
    std::string fault() && { return std::move(fault_); }

 private:
    bool fail(const std::string& at, std::string_view what) {
        fault_ = fmt::format("{} {}", at, what);
        return false;
    }

    std::string fault_;
};

std::string find_version_fault(const record_json& root) {
    if (!root.is_object()) return "record must be an object";
    const auto found = root.find("version");
    if (found != root.end() && *found == record_version) return {};
    return fmt::format("record.version must be {}", record_version);
}

}  // namespace

std::string encode_record(session_record r) {
    auto root = to_record_json(r);
    root["version"] = record_version;
    return wire::dump_json(root);
}

std::variant<session_record, std::string> parse_record(std::string_view text) {
    if (const auto fault = wire::describe_text_fault(text, max_record_bytes, record_limits);
        !fault.empty())
        return "record " + fault;
    auto root = record_json::parse(text, nullptr, false);
    if (auto fault = find_version_fault(root); !fault.empty()) return fault;
    record_reader reader;
    session_record record;
    if (!reader.read(root, "record", record)) return std::move(reader).fault();
    return record;
}

}  // namespace tandem::gateway
