#pragma once

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <functional>
#include <string_view>

namespace tandem::mock {

/// A client connection, plain or encrypted. Each handler is called once on the event loop, even
/// after close(). At most one read and one write may be pending.
class byte_stream {
 public:
    using handler = std::function<void(boost::system::error_code, std::size_t bytes)>;

    virtual ~byte_stream() = default;
    /// Prepares the stream for reading and writing.
    virtual void async_open(handler done) = 0;
    virtual void async_read(char* data, std::size_t size, handler done) = 0;
    /// Writes all of `data`, which must stay valid until completion.
    virtual void async_write(std::string_view data, handler done) = 0;
    /// Shuts down the write side (FIN); reading continues.
    virtual void end_writing() = 0;
    virtual void close() = 0;
    /// Closes with RST.
    virtual void reset() = 0;
};

}  // namespace tandem::mock
