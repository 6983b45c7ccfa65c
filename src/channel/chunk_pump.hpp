#pragma once

#include "loop/event_home.hpp"
#include "loop/loop_link.hpp"

#include "tandem/reply.hpp"
#include "tandem/stream_chunk.hpp"

#include <memory>
#include <optional>

namespace tandem::detail {

/// Where a reply's chunks go.
class chunk_taker {
 public:
    /// Gives the id to continue after at once, before the next chunk is asked for; nothing if that
    /// is to wait for chunk_pump::go_on().
    virtual std::optional<chunk_id> take(chunk c) = 0;
    /// Nothing comes any more. The result is that of the reply, if it has one. Only the first end
    /// counts.
    virtual void ended(channel_end why, std::optional<reply_result> result) noexcept = 0;

 protected:
    ~chunk_taker() = default;
};

/// The loop's side of a channel: owns a reply, and asks it for chunks on its strand. Tells the
/// taker of the end on every path, also where the context is destroyed. The functions down to
/// is_stranded() may be called from any thread, and run nothing within the call.
class chunk_pump final : public std::enable_shared_from_this<chunk_pump>, public home_tenant {
 public:
    /// Why this reply cannot be pumped: its context is gone, or it was moved from; else nothing.
    static error_code refusal_of(const reply& r) noexcept;
    /// Precondition: not refused.
    static std::shared_ptr<chunk_pump> make(reply r, std::weak_ptr<chunk_taker> taker);
    ~chunk_pump();

    /// Asks for the first chunk.
    void start();
    /// The chunk was spoken: on with the next.
    void go_on(chunk_id id);
    /// Interrupts the reply, whose result follows.
    void interrupt();
    /// Nobody runs the reply's context.
    bool is_stranded() const { return link_.is_stopped(); }

    /// The reply, which is informed as well, reports its end.
    void home_closed() override {}
    void context_ended() noexcept override;

 private:
    chunk_pump(reply r, std::weak_ptr<chunk_taker> taker);

    event_home& home() const noexcept;
    template <class Function>
    void on_strand(Function f);
    void hear_of_end();
    void ask();
    void told(error_code ec, std::optional<chunk> c);
    void tell_end(error_code ec);
    void give_up(channel_end why, std::optional<reply_result> result) noexcept;
    void fail() noexcept;

    std::optional<reply> reply_;  // until the end
    std::weak_ptr<chunk_taker> taker_;
    loop_link link_;
    bool asks_ = false;
};

}  // namespace tandem::detail
