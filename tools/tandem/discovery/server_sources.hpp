#pragma once

#include "flags/named_server.hpp"
#include "gateway/sessions/gateway_options.hpp"

#include "tandem/log.hpp"

#include <string>
#include <string_view>
#include <vector>

// The sources of a gateway's servers, and the current servers of each source. Pure.
namespace tandem::command {

/// The current servers of a name or a file, or the reason why they are unknown.
struct source_answer {
    std::vector<std::string> urls{};
    std::string fault{};
};

/// Returns the URL of each address; equal addresses have equal URLs. Uses the IPv4 addresses, or
/// the IPv6 addresses if there are none, so that a server with both is not listed twice.
source_answer make_address_urls(std::string_view url, std::vector<std::string> addresses);

/// A line to log about the answer of a source; `text` is empty if there is nothing to log.
struct source_log_line {
    log_level level = log_level::info;
    std::string text{};
    bool has_changed = false;
};

/// The servers that come from one flag, for one model.
class server_source {
 public:
    server_source(std::string model, const named_server& first);

    const std::string& model() const noexcept { return model_; }
    const std::vector<std::string>& urls() const noexcept { return urls_; }
    /// The URL whose host name resolves to the servers; empty if there is none.
    const std::string& name() const noexcept { return name_; }
    /// The file that lists the servers; empty if there is none.
    const std::string& file() const noexcept { return file_; }
    /// Whether the servers may change.
    bool is_watched() const noexcept { return !name_.empty() || !file_.empty(); }

    void add(std::string url) { urls_.push_back(std::move(url)); }
    /// Replaces the servers with those in the answer. On a fault, keeps the current servers and
    /// reports the fault once.
    source_log_line apply_answer(source_answer answer);

 private:
    source_log_line report_fault(const std::string& fault);
    std::string display_name() const;

    std::string model_;
    std::string name_;
    std::string file_;
    std::vector<std::string> urls_;
    bool has_failed_ = false;
};

/// The sources of the servers in `models`.
std::vector<server_source> make_sources(const std::vector<named_server>& servers,
                                        const std::vector<gateway::model_servers>& models);

/// The servers of all sources of the model, without duplicates.
gateway::model_servers collect_servers(const std::vector<server_source>& sources,
                                       const std::string& model);

/// A file lists servers of one model. If one of these servers has a model name, gives it to all of
/// them.
void copy_model_names_within_files(std::vector<named_server>& servers);

}  // namespace tandem::command
