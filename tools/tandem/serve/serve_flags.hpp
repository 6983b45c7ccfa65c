#pragma once

#include "cluster_status/store_flags.hpp"
#include "flags/config_flags.hpp"
#include "recording/record_flags.hpp"
#include "serve/serve_command.hpp"
#include "text/word_list.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem serve` subcommand and its flags. The object must stay alive during parsing.
class serve_flags {
 public:
    static constexpr const char* name = "serve";

    explicit serve_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags and the files that they name. `faults` receives
    /// the errors.
    serve_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    /// All flags except those of the configuration.
    struct flag_texts {
        std::string listen = "127.0.0.1:8090";
        std::string model;
        std::string stream_by = "token";
        std::string answer_cache = "64";
        std::string max_connections = "10000";
        std::string drain = "30s";
        std::string placement = "least_busy";
        std::string keys;
        std::string tls_cert;
        std::string tls_key;
        std::vector<std::string> allowed_origins;
        std::string denied;
        std::string max_prompt_bytes = "1048576";
        std::vector<std::string> adapters;
        std::string state;
        std::string audit;
        bool audit_prompts = false;
        std::string otlp_endpoint;
        bool otlp_texts = false;
        std::string log_level = "info";
        std::string log_format = "text";
    };

    void add_gateway_flags();
    void add_access_flags();
    void add_output_flags();
    std::vector<std::string> empty_flags() const;
    void read_gateway_flags(serve_options& o, std::vector<std::string>& faults) const;
    void read_adapters(serve_options& o, std::vector<std::string>& faults) const;
    void read_access_flags(serve_options& o, std::vector<std::string>& faults);
    void read_traces(const environment& variables, serve_options& o,
                     std::vector<std::string>& faults) const;
    void read_log_flags(serve_options& o, std::vector<std::string>& faults) const;
    void read_configuration(const environment& variables, serve_options& o,
                            std::vector<std::string>& faults) const;
    void read_keys(serve_options& o, std::vector<std::string>& faults) const;
    void read_tls(serve_options& o, std::vector<std::string>& faults) const;
    void read_denied(serve_options& o, std::vector<std::string>& faults);
    std::vector<std::string> gateway_faults(const serve_options& o) const;

    CLI::App& app_;
    flag_texts texts_;
    word_list denied_;
    store_flags cluster_;
    record_flags record_;
    config_flags config_;
};

}  // namespace tandem::command
