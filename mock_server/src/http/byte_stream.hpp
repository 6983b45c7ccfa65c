#pragma once

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <functional>
#include <string_view>

namespace tandem::mock {

/// A connection to a client, plain or encrypted. Handlers are called from the event loop, each
/// once, also after close(). One read and one write at a time.
class byte_stream {
 public:
    using handler = std::function<void(boost::system::error_code, std::size_t bytes)>;

    virtual ~byte_stream() = default;
    /// Has the stream ready for reading and writing.
    virtual void async_open(handler done) = 0;
    virtual void async_read(char* data, std::size_t size, handler done) = 0;
    /// Writes all of `data`, which must stay where it is until then.
    virtual void async_write(std::string_view data, handler done) = 0;
    /// Ends our direction (FIN); reading continues.
    virtual void end_writing() = 0;
    virtual void close() = 0;
    /// Closes with RST.
    virtual void reset() = 0;
};

}  // namespace tandem::mock
