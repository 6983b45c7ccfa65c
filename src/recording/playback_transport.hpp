#pragma once

#include "base/time.hpp"
#include "transport/transport.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>

namespace tandem::detail {

class playback;

/// A transport that plays the recorded traffic of `server`, a URL without credentials. `executor`
/// is as for make_curl_transport(); `peek_hold` is as in config.
std::unique_ptr<transport::http_transport> make_playback_transport(
    boost::asio::any_io_executor executor, std::shared_ptr<playback> from, std::string server,
    duration peek_hold);

}  // namespace tandem::detail
