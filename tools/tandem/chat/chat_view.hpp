#pragma once

#include "chat/spoken_timing.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tandem::command {

/// A chunk whose sound begins.
struct spoken_chunk {
    int turn = 0;
    const tandem::chunk& chunk;
    /// Since the chat began.
    duration at{};
    /// Of the sound; of its speech by the words where there is none.
    duration length{};
    /// How long it was waited for, once the chunk was there.
    duration synthesis{};
    /// Since the sound before it ended; nothing for the first one.
    std::optional<duration> silence{};
    bool has_sound = false;
};

/// A reply that has ended, well or not.
struct spoken_end {
    int turn = 0;
    const reply_result& result;
    /// The listener interrupted it; it may have been generated whole by then.
    bool interrupted = false;
    /// What history keeps of it.
    std::string kept{};
    /// Nothing if nothing was spoken.
    std::optional<spoken_timing> timing{};
    /// What this program knows about an error besides the library's words; mostly empty.
    std::string hint{};
};

/// What a chat tells while it continues.
class chat_view {
 public:
    virtual ~chat_view() = default;

    /// The chat waits for the user.
    virtual void listening() = 0;
    /// A line is answered now.
    virtual void took(std::string_view line) = 0;
    /// There will be no more lines.
    virtual void input_ended() = 0;
    virtual void began(const spoken_chunk& c) = 0;
    /// A chunk that has nothing to speak.
    virtual void passed_over(int turn, const chunk& c) = 0;
    virtual void ended(const spoken_end& e) = 0;
    /// Something that the user should know; and what went wrong.
    virtual void note(std::string_view text) = 0;
    virtual void fault(std::string_view text) = 0;
};

}  // namespace tandem::command
