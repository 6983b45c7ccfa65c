#pragma once

#include "line_input/typed_keys.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace tandem::command {

/// One line that is edited and shown in a terminal, by libedit. It neither reads nor writes: keys
/// are given to it, and what the terminal has to be sent is asked for.
class edited_line {
 public:
    /// The descriptors of the terminal; it is read and written through both by others.
    edited_line(int in, int out);
    ~edited_line();
    edited_line(const edited_line&) = delete;
    edited_line& operator=(const edited_line&) = delete;

    /// The terminal can show it; without that nothing else may be called.
    bool is_possible() const noexcept;

    /// The terminal gives its keys one by one, or lines again.
    void begin_keys();
    void end_keys();

    /// Not of keys that are entered, or ask for another line.
    void press(const typed_key& key);
    void insert(const std::string& text);
    /// Inserts the text that was erased last. Returns false, and changes nothing, if the line would
    /// have more than `max_bytes`.
    bool yank(std::size_t max_bytes);
    std::string text() const;
    void set_text(const std::string& text);

    /// See bottom_lines.
    std::string drawn();
    std::string changes();
    std::string removed();
    /// Draws it again in a terminal that has `width` columns now, and has wrapped it again.
    std::string drawn_anew(int width);

 private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace tandem::command
