#include "cluster/store/store_connector.hpp"

#include "base/parse_number.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::cluster {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

bool is_error(const store_answer& answer) {
    return answer.kind == answer_kind::error;
}

// Returns advice for an error that the user and the password can cause.
std::string_view advice_for(std::string_view error) {
    const bool is_denied = error.starts_with("NOAUTH") || error.starts_with("WRONGPASS") ||
                           error.starts_with("NOPERM");
    return is_denied ? "; check the user and the password" : "";
}

}  // namespace

store_connector::store_connector(const asio::any_io_executor& executor, store_options o)
    : executor_(executor),
      options_(std::move(o)),
      tls_(options_.address.uses_tls ? make_store_tls_context(options_.ca_file) : nullptr),
      limit_(executor) {}

awaitable<std::string> store_connector::connect() {
    auto fault = co_await open_stream();
    if (fault.empty()) fault = co_await authenticate();
    limit_.cancel();
    failures_ = fault.empty() ? 0 : failures_ + 1;
    co_return fault;
}

void store_connector::close() {
    is_closed_ = true;
    limit_.cancel();
    if (stream_) stream_->close();
}

/// Closes the new stream if connecting takes too long.
void store_connector::renew_stream() {
    reader_ = {};
    stream_ = std::make_shared<store_stream>(executor_, tls_.get());
    if (is_closed_) stream_->close();
    limit_.expires_after(connect_limit);
    limit_.async_wait([stream = stream_](boost::system::error_code ec) {
        if (!ec) stream->close();
    });
}

awaitable<std::string> store_connector::open_stream() {
    const auto& a = options_.address;
    renew_stream();
    if (!a.path.empty()) co_return co_await stream_->connect_to_path(a.path);
    if (a.primary.empty()) co_return co_await stream_->connect(a.hosts.front(), failures_);
    co_return co_await connect_to_primary();
}

/// Asks one sentinel. The next attempt asks another sentinel, which may know more.
awaitable<std::string> store_connector::connect_to_primary() {
    auto& sentinels = options_.address.hosts;
    const auto sentinel = sentinels.front();
    std::rotate(sentinels.begin(), sentinels.begin() + 1, sentinels.end());
    const auto who = fmt::format("the sentinel at {}:{}", sentinel.host, sentinel.port);
    // Each sentinel is asked at each index of an address.
    const auto first = failures_ / sentinels.size();
    auto fault = co_await stream_->connect(sentinel, first);
    if (!fault.empty()) co_return fault;
    const auto answer = co_await ask_sentinel();
    if (!answer) co_return explain_missing_answer(who);
    if (is_error(*answer))
        co_return fmt::format("{}: {}{}", who, answer->text, advice_for(answer->text));
    if (!answer->is_list_of(2))
        co_return fmt::format("{} does not know \"{}\"", who, options_.address.primary);
    store_address::host_and_port where{
        answer->items[0].text, parse_number<std::uint16_t>(answer->items[1].text).value_or(0)};
    renew_stream();
    co_return co_await stream_->connect(std::move(where), first);
}

// Most sentinels require no password, and refuse one.
awaitable<std::optional<store_answer>> store_connector::ask_sentinel() {
    const std::vector<std::string> question{"SENTINEL", "get-master-addr-by-name",
                                            options_.address.primary};
    auto answer = co_await ask(question);
    const bool is_denied = answer && answer->text.starts_with("NOAUTH");
    if (!is_denied || options_.password.empty()) co_return answer;
    std::vector<std::string> login{"AUTH", options_.password};
    auto accepted = co_await ask(std::move(login));
    if (!accepted || is_error(*accepted)) co_return accepted;
    answer = co_await ask(question);
    co_return answer;
}

/// Sends a command on a new connection, and waits for its answer.
awaitable<std::optional<store_answer>> store_connector::ask(std::vector<std::string> words) {
    auto command = encode_command(words);
    const bool is_sent = co_await stream_->write(std::move(command));
    if (!is_sent) co_return std::nullopt;
    for (;;) {
        if (auto answer = reader_.next()) co_return answer;
        const auto bytes = co_await stream_->read();
        if (bytes.empty() || !reader_.feed(bytes)) co_return std::nullopt;
    }
}

// This side closes the stream only if a limit has passed, or at the end.
std::string store_connector::explain_missing_answer(std::string_view who) const {
    return fmt::format("{} {}", who,
                       stream_->is_closed() ? "did not answer in time" : "closed the connection");
}

awaitable<std::string> store_connector::authenticate() {
    const auto& o = options_;
    std::vector<std::vector<std::string>> commands;
    if (!o.password.empty() && !o.address.user.empty())
        commands.push_back({"AUTH", o.address.user, o.password});
    else if (!o.password.empty())
        commands.push_back({"AUTH", o.password});
    if (o.address.database > 0) commands.push_back({"SELECT", std::to_string(o.address.database)});
    commands.push_back({"CLIENT", "SETNAME", o.client_name});
    for (auto& words : commands) {
        const auto name = words.front();
        const auto answer = co_await ask(std::move(words));
        if (!answer) co_return explain_missing_answer("the store");
        if (is_error(*answer))
            co_return fmt::format("{}: {}{}", name, answer->text, advice_for(answer->text));
    }
    co_return co_await check_role();
}

/// After a fail-over, a sentinel may still name the old primary.
awaitable<std::string> store_connector::check_role() {
    if (options_.address.primary.empty()) co_return std::string();
    std::vector<std::string> question{"ROLE"};
    const auto answer = co_await ask(std::move(question));
    if (!answer) co_return explain_missing_answer("the store");
    if (is_error(*answer)) co_return fmt::format("ROLE: {}", answer->text);
    const bool is_primary = !answer->items.empty() && answer->items.front().text == "master";
    co_return is_primary ? std::string() : "the store is a replica";
}

}  // namespace tandem::cluster
