#pragma once

#include "loop/strand_poster.hpp"
#include "loop/strand_scope.hpp"

#include "tandem/reply.hpp"
#include "tandem/stream_chunk.hpp"

#include <memory>
#include <optional>

namespace tandem::detail {

/// Receives a reply's chunks.
class chunk_sink {
 public:
    /// Takes a chunk. Returns the id of the chunk after which the reply continues immediately;
    /// nullopt if the reply must wait for chunk_pump::continue_after().
    virtual std::optional<chunk_id> deliver(chunk c) = 0;
    /// No further chunk follows. `result` is the reply's result, if it has one. Only the first call
    /// has an effect.
    virtual void on_end(channel_end why, std::optional<reply_result> result) noexcept = 0;

 protected:
    ~chunk_sink() = default;
};

/// The event loop's side of a channel: owns a reply, and requests its chunks on the reply's strand.
/// Always reports the end to the sink, even if the context is destroyed. The functions up to
/// is_context_stopped() may be called from any thread, and run no handlers inline.
class chunk_pump final : public std::enable_shared_from_this<chunk_pump>, public shutdown_listener {
 public:
    /// Returns an error if the reply was moved from, or if its context is gone.
    static error_code check_usable(const reply& r) noexcept;
    /// Precondition: check_usable() returns no error.
    static std::shared_ptr<chunk_pump> make(reply r, std::weak_ptr<chunk_sink> sink);
    ~chunk_pump();

    /// Requests the first chunk.
    void start();
    /// Reports that the chunk was spoken, so that the reply continues.
    void continue_after(chunk_id id);
    /// Interrupts the reply; its result follows.
    void interrupt();
    /// Whether no thread runs the reply's context.
    bool is_context_stopped() const { return link_.is_stopped(); }

    /// Does nothing: the owner ends the reply as well, and the reply's end is reported.
    void on_owner_destroyed() override {}
    void on_context_destroyed() noexcept override;

 private:
    chunk_pump(reply r, std::weak_ptr<chunk_sink> sink);

    strand_scope& scope() const noexcept;
    template <class Function>
    void on_strand(Function f);
    void watch_reply_end();
    void request_chunk();
    void on_chunk(error_code ec, std::optional<chunk> c);
    void report_end(error_code ec);
    void give_up(channel_end why, std::optional<reply_result> result) noexcept;
    void fail() noexcept;

    std::optional<reply> reply_;  // until the end
    std::weak_ptr<chunk_sink> sink_;
    strand_poster link_;
    bool is_requesting_ = false;
};

}  // namespace tandem::detail
