#pragma once

#include "base/time.hpp"
#include "cluster/store/store_codec.hpp"
#include "cluster/store/store_options.hpp"
#include "cluster/store/store_stream.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Boost 1.74 uses <utility> here without including it.
#include <boost/asio/awaitable.hpp>

namespace tandem::cluster {

/// Opens authenticated connections to the store at its address, or to the primary that a sentinel
/// names. Use it on its executor, on one thread; it must outlive connect().
class store_connector {
 public:
    /// Time limit for connecting to the store, and to each sentinel.
    static constexpr duration connect_limit = std::chrono::seconds(2);

    store_connector(const boost::asio::any_io_executor& executor, store_options o);

    /// Opens a new connection. Returns a description of the failure; empty on success.
    boost::asio::awaitable<std::string> connect();
    /// Cancels connect(). The connector cannot be used again.
    void close();

    /// The newest connection; null before the first one.
    const std::shared_ptr<store_stream>& stream() const noexcept { return stream_; }
    /// Reads the answers on the newest connection.
    store_answer_reader& reader() noexcept { return reader_; }

 private:
    void renew_stream();
    boost::asio::awaitable<std::string> open_stream();
    boost::asio::awaitable<std::string> connect_to_primary();
    boost::asio::awaitable<std::optional<store_answer>> ask_sentinel();
    boost::asio::awaitable<std::string> authenticate();
    boost::asio::awaitable<std::string> check_role();
    boost::asio::awaitable<std::optional<store_answer>> ask(std::vector<std::string> words);
    std::string explain_missing_answer(std::string_view who) const;

    boost::asio::any_io_executor executor_;
    store_options options_;
    std::unique_ptr<boost::asio::ssl::context> tls_;
    std::shared_ptr<store_stream> stream_;
    store_answer_reader reader_;
    boost::asio::steady_timer limit_;
    std::size_t failures_ = 0;  // since the last success
    bool is_closed_ = false;
};

}  // namespace tandem::cluster
