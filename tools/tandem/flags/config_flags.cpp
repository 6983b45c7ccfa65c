#include "flags/config_flags.hpp"

#include "flags/flag_parsing.hpp"
#include "flags/tools_argument.hpp"
#include "os/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <type_traits>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::size_t max_file_bytes = 1u << 20;
constexpr std::size_t max_shown_default = 60;
constexpr const char* tools_value = "JSON|FILE";

std::string flag_names(std::string_view field) {
    const auto name = flag_name(field);
    return field == "url" ? name + ",--server" : name;
}

std::string help_of(const field_info& f, const config& defaults) {
    const auto value = field_text(defaults, f.name);
    return value.empty() || value.size() > max_shown_default
               ? f.help
               : fmt::format("{} [{}]", f.help, value);
}

bool has_certificates(const std::string& path) {
    const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store(X509_STORE_new(),
                                                                        X509_STORE_free);
    const bool is_loaded = X509_STORE_load_locations(store.get(), path.c_str(), nullptr) == 1;
    ERR_clear_error();
    return is_loaded;
}

// Otherwise, the first TLS connection would fail.
void check_ca_file(const std::string& path, std::vector<std::string>& faults) {
    if (path.empty()) return;
    if (const input_descriptor file(path); file.get() < 0)
        return faults.push_back(fmt::format("--ca-file {}: {}", path, std::strerror(errno)));
    if (!has_certificates(path))
        faults.push_back(fmt::format(
            "--ca-file {}: is not a file of PEM certificates; it must contain the certificates to "
            "trust, each between the lines -----BEGIN CERTIFICATE----- and -----END "
            "CERTIFICATE-----",
            path));
}

}  // namespace

void config_flags::add_to(CLI::App& app, const std::function<bool(const field_info&)>& wanted,
                          const config& defaults) {
    for_each_field(defaults, [&]<class Field>(const field_info& f, const Field&) {
        if (!wanted(f)) return;
        auto& entry = flags_.emplace_back();
        entry.field = f.name;
        CLI::Option* option = nullptr;
        if constexpr (std::is_same_v<Field, bool>)
            option = app.add_flag(flag_names(f.name), entry.switched);
        else
            option = app.add_option(flag_names(f.name), entry.texts)
                         ->allow_extra_args(false)
                         ->type_name(std::string_view(f.name) == "tools" ? tools_value : f.value);
        option->description(help_of(f, defaults))->group(f.group);
    });
    add_value_flag(app, "--api-key-file", key_file_, "FILE",
                   "file that contains the API key (not visible in the process list)", "server");
    add_value_flag(app, "--config", file_, "FILE",
                   "JSON file with these fields; names use underscores", "server");
}

std::vector<setting> config_flags::settings(std::vector<std::string>& faults) const {
    std::vector<setting> result;
    for (const auto& f : flags_) {
        const auto origin = flag_name(f.field);
        if (!f.switched.empty()) result.push_back({origin, f.field, f.switched});
        for (const auto& text : f.texts) {
            if (f.field == "tools")
                add_tools(text, result, faults);
            else
                result.push_back({origin, f.field, text});
        }
    }
    add_key_file(result, faults);
    return result;
}

void config_flags::add_tools(const std::string& value, std::vector<setting>& settings,
                             std::vector<std::string>& faults) {
    if (value.empty()) return settings.push_back({"--tools", "tools", ""});
    auto given = read_tools_argument(value);
    if (!given.fault.empty()) return faults.push_back("--tools " + given.fault);
    settings.push_back({std::move(given.origin), "tools", remove_command_fields(given.text)});
}

void config_flags::add_key_file(std::vector<setting>& settings,
                                std::vector<std::string>& faults) const {
    if (key_file_.empty()) return;
    if (std::ranges::find(settings, "api_key", &setting::field) != settings.end())
        return faults.push_back("--api-key cannot be combined with --api-key-file");
    auto file = read_file(key_file_, max_file_bytes);
    if (!file.fault.empty()) return faults.push_back(fmt::format("--api-key-file {}", file.fault));
    while (file.text.ends_with('\n') || file.text.ends_with('\r')) file.text.pop_back();
    if (file.text.empty())
        return faults.push_back(
            fmt::format("--api-key-file {}: has no key; write the key into it, or omit the flag",
                        input_name(key_file_)));
    settings.push_back(
        {"--api-key-file " + input_name(key_file_), "api_key", std::move(file.text)});
}

config_flags::loaded config_flags::load(const environment& variables,
                                        std::vector<std::string>& faults,
                                        const std::vector<setting>& lowest) const {
    config_layers layers;
    layers.add(lowest);
    if (takes_model_names_) layers.allow_model_names();
    if (!file_.empty()) {
        const auto file = read_file(file_, max_file_bytes);
        if (file.fault.empty())
            layers.add_file(file_, file.text);
        else
            faults.push_back(fmt::format("--config {}", file.fault));
    }
    layers.add_environment(variables);
    layers.add(settings(faults));
    std::ranges::move(layers.faults(), std::back_inserter(faults));
    std::vector<std::string> urls;
    for (const auto& s : layers.servers())
        if (s.file.empty()) urls.push_back(s.url);
    check_ca_file(layers.result().server.ca_file, faults);
    return {layers.result(), std::move(urls), layers.servers(), layers.has("continue_timeout")};
}

}  // namespace tandem::command
