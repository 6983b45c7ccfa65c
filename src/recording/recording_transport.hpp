#pragma once

#include "transport/transport.hpp"

#include <memory>
#include <string>

namespace tandem::detail {

class traffic_writer;

/// A transport that forwards requests to `inner` and reports all traffic to `writer`. `server` is
/// the URL without credentials.
std::unique_ptr<transport::http_transport> make_recording_transport(
    std::unique_ptr<transport::http_transport> inner, std::shared_ptr<traffic_writer> writer,
    std::string server);

}  // namespace tandem::detail
