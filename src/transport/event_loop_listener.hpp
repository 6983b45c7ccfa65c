#pragma once

#include <curl/curl.h>

namespace tandem::transport {

/// Receives events of the event loop on behalf of curl.
class event_loop_listener {
 public:
    /// `mask` is a set of CURL_CSELECT_* bits.
    virtual void on_ready(curl_socket_t fd, int mask) = 0;
    virtual void on_timeout() = 0;

 protected:
    ~event_loop_listener() = default;
};

}  // namespace tandem::transport
