#pragma once

#include "flags/flag_parsing.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::command {

/// A command and its flags. Each flag has a target, which read() sets. This object and the targets
/// must stay alive during parsing, and must not move.
class command_flags {
 public:
    /// Parses `text` and sets the target of the flag, or adds a fault.
    using reader = std::function<void(const std::string& text, std::vector<std::string>& faults)>;

    /// `text`: the help of the command; `footer`: the command's text in the list of commands.
    command_flags(CLI::App& tandem, const char* name, const char* text, const char* footer);

    /// Flags added after this call belong to this group of the help.
    void begin_group(const char* group) { group_ = group; }
    void add_help_flag() { app_.set_help_flag("-h,--help", "show this help")->group(group_); }
    void add_argument(const char* argument, std::string& target, const char* help) {
        app_.add_option(argument, target, help)->group(group_);
    }
    void add_switch(const char* flag, bool& target, const char* help) {
        app_.add_flag(flag, target, help)->group(group_);
    }
    void add_switch(const char* flag, std::function<void()> on_given, const char* help) {
        app_.add_flag_callback(flag, std::move(on_given), help)->group(group_);
    }
    /// If a flag is repeated, the last value is used, unless `target` is a list.
    template <class Target>
    void add_text(const char* flag, Target& target, const char* value, const char* help) {
        add_value_flag(app_, flag, target, value, help, group_);
    }

    /// `read` gets the value of the flag or, if the flag is not given, `default_value`, which the
    /// help shows. If there is no default, a flag with an empty value counts as not given.
    void add(const char* flag, const char* value, const std::string& help, reader read,
             const char* default_value = "");
    template <class Target>
    void add_number(const char* flag, Target& target, int least, int most, const char* value,
                    const char* help, const char* default_value = "") {
        add_read(flag, target, value, help, default_value, [=](auto& text, auto& faults) {
            return read_number(flag, text, least, most, faults);
        });
    }
    template <class Target>
    void add_decimal(const char* flag, Target& target, double least, double most, const char* value,
                     const char* help) {
        add_read(flag, target, value, help, "", [=](auto& text, auto& faults) {
            return read_decimal(flag, text, least, most, faults);
        });
    }
    template <class Target>
    void add_time(const char* flag, Target& target, const char* help,
                  const char* default_value = "", duration least = {},
                  duration most = std::chrono::hours(1)) {
        add_read(flag, target, "TIME", help, default_value, [=](auto& text, auto& faults) {
            return read_time(flag, text, least, most, faults);
        });
    }
    /// `names`: the names of the enumerators, which must stay alive during parsing.
    template <class Target>
    void add_choice(const char* flag, Target& target, std::span<const std::string_view> names,
                    const char* value, const char* help, const char* default_value = "") {
        add_read(flag, target, value, help, default_value,
                 [=](auto& text, auto& faults) { return read_choice(flag, names, text, faults); });
    }

    CLI::App& app() const noexcept { return app_; }
    bool is_given(const std::string& flag) const { return app_.count(flag) > 0; }
    /// The text of a flag, which may be changed before read() parses it. Precondition: the flag has
    /// a reader.
    std::string& text(std::string_view flag);
    /// Returns true if the flag has a default value or was given a non-empty value.
    bool is_set(std::string_view flag) { return !text(flag).empty(); }

    /// Sets the targets, in the order of the flags.
    void read(std::vector<std::string>& faults) const;

 private:
    struct entry {
        std::string_view flag;
        std::string text;
        reader read;
        bool has_default = false;
    };
    template <class Target>
    struct content {
        using type = Target;
    };
    template <class Value>
    struct content<std::optional<Value>> {
        using type = Value;
    };

    // `read` returns a value, or nothing after a fault.
    template <class Target, class Read>
    void add_read(const char* flag, Target& target, const char* value, const char* help,
                  const char* default_value, Read read) {
        const auto set = [&target, read](const auto& text, auto& faults) {
            if (const auto found = read(text, faults))
                target = static_cast<typename content<Target>::type>(*found);
        };
        add(flag, value, help, set, default_value);
    }

    CLI::App& app_;
    const char* group_ = "";
    std::deque<entry> entries_;  // a deque because CLI11 keeps pointers to the texts
};

}  // namespace tandem::command
