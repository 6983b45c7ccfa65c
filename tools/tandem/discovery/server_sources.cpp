#include "discovery/server_sources.hpp"

#include "base/format_count.hpp"
#include "text/url_text.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tandem::command {
namespace {

std::set<std::string> identities_of(const std::vector<std::string>& urls) {
    std::set<std::string> all;
    for (const auto& url : urls) all.insert(transport::server_identity(url));
    return all;
}

std::ptrdiff_t count_missing(const std::set<std::string>& servers,
                             const std::set<std::string>& others) {
    return std::ranges::count_if(servers, [&](const auto& s) { return !others.contains(s); });
}

std::vector<std::string> each_once(const std::vector<std::string>& urls) {
    std::vector<std::string> once;
    std::set<std::string> seen;
    for (const auto& url : urls)
        if (seen.insert(transport::server_identity(url)).second) once.push_back(url);
    return once;
}

const std::string* find_model(const std::vector<gateway::model_servers>& models,
                              const std::string& url) {
    for (const auto& m : models)
        if (std::ranges::find(m.servers, url) != m.servers.end()) return &m.name;
    return nullptr;
}

}  // namespace

source_answer make_address_urls(std::string_view url, std::vector<std::string> addresses) {
    const auto is_v6 = [](const std::string& a) { return a.find(':') != a.npos; };
    if (!std::ranges::all_of(addresses, is_v6)) std::erase_if(addresses, is_v6);
    std::ranges::sort(addresses);
    source_answer answer;
    answer.urls.reserve(addresses.size());
    for (const auto& address : addresses)
        answer.urls.push_back(transport::url_at_address(url, address));
    if (answer.urls.empty()) answer.fault = "has no address";
    return answer;
}

server_source::server_source(std::string model, const named_server& first)
    : model_(std::move(model)),
      name_(first.is_name ? first.url : ""),
      file_(first.file),
      urls_{first.url} {}

source_log_line server_source::apply_answer(source_answer answer) {
    if (!answer.fault.empty()) return report_fault(answer.fault);
    auto urls = each_once(answer.urls);
    const auto before = identities_of(urls_);
    const auto now = identities_of(urls);
    const auto added = count_missing(now, before);
    const auto gone = count_missing(before, now);
    const bool has_recovered = std::exchange(has_failed_, false);
    if (added + gone == 0 && !has_recovered) return {};
    urls_ = std::move(urls);
    return {.text = fmt::format("{}: {}, {} new, {} gone", display_name(),
                                format_count(std::ssize(urls_), "server"), added, gone),
            .has_changed = added + gone > 0};
}

source_log_line server_source::report_fault(const std::string& fault) {
    if (std::exchange(has_failed_, true)) return {};
    return {
        .level = log_level::warning,
        .text = fmt::format("{}: {}; the list of servers stays as it is", display_name(), fault)};
}

std::string server_source::display_name() const {
    return file_.empty() ? fmt::format("dns+{}", redact_url(name_)) : file_;
}

std::vector<server_source> make_sources(const std::vector<named_server>& servers,
                                        const std::vector<gateway::model_servers>& models) {
    std::vector<server_source> sources;
    for (const auto& s : servers) {
        const auto* const model = find_model(models, s.url);
        if (!model) continue;
        const auto known = std::ranges::find_if(sources, [&](const server_source& source) {
            return !s.file.empty() && source.file() == s.file;
        });
        if (known != sources.end())
            known->add(s.url);
        else
            sources.emplace_back(*model, s);
    }
    return sources;
}

gateway::model_servers collect_servers(const std::vector<server_source>& sources,
                                       const std::string& model) {
    std::vector<std::string> urls;
    for (const auto& s : sources)
        if (s.model() == model) urls.insert(urls.end(), s.urls().begin(), s.urls().end());
    return {.name = model, .servers = each_once(urls)};
}

void copy_model_names_within_files(std::vector<named_server>& servers) {
    for (auto& s : servers) {
        if (s.file.empty()) continue;
        const auto known = std::ranges::find_if(servers, [&](const named_server& other) {
            return other.file == s.file && !other.model.empty();
        });
        if (known != servers.end()) s.model = known->model;
    }
}

}  // namespace tandem::command
