#include "discovery/server_discovery.hpp"

#include "discovery/server_file.hpp"
#include "transport/server_url.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tandem::command {

constexpr auto discovery_interval = std::chrono::seconds(5);

server_discovery::server_discovery(boost::asio::io_context& loop,
                                   std::vector<server_source> sources, resolve_function resolve,
                                   callbacks calls)
    : sources_(std::move(sources)),
      resolve_(std::move(resolve)),
      calls_(std::move(calls)),
      timer_(loop, discovery_interval, [this] { query_all_sources(); }) {}

void server_discovery::start() {
    if (std::ranges::any_of(sources_, &server_source::is_watched)) timer_.start();
}

void server_discovery::query_all_sources() {
    for (std::size_t i = 0; i < sources_.size(); ++i) query_source(i);
}

void server_discovery::query_source(std::size_t source) {
    const auto& s = sources_[source];
    if (!s.file().empty()) return on_answer(source, read_server_file(s.file()));
    if (s.name().empty()) return;
    const auto host = transport::parse_server_url(s.name()).url.host;
    resolve_(host, [this, source](std::vector<std::string> addresses, std::string fault) {
        if (!fault.empty()) return on_answer(source, {{}, std::move(fault)});
        on_answer(source, make_address_urls(sources_[source].name(), std::move(addresses)));
    });
}

void server_discovery::on_answer(std::size_t source, source_answer answer) {
    auto& s = sources_[source];
    const auto news = s.apply_answer(std::move(answer));
    if (!news.text.empty()) calls_.log(news.level, news.text);
    if (news.has_changed) calls_.changed(collect_servers(sources_, s.model()));
}

}  // namespace tandem::command
