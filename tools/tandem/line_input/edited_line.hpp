#pragma once

#include "line_input/typed_keys.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace tandem::command {

/// Edits one line in a terminal, using libedit. Performs no I/O itself: the caller passes in the
/// keys and writes the returned output to the terminal.
class edited_line {
 public:
    /// The descriptors of the terminal. The caller reads and writes them.
    edited_line(int in, int out);
    ~edited_line();

    /// Returns true if the terminal can show the line. Otherwise no other member may be called.
    bool is_supported() const noexcept;

    /// Call begin_keys() when the terminal delivers single keys, and end_keys() when it delivers
    /// lines again.
    void begin_keys();
    void end_keys();

    /// Handles any key except Enter and the keys that select another line.
    void press(const typed_key& key);
    void insert(const std::string& text);
    /// Inserts the most recently erased text. Returns false without a change if the line would
    /// exceed `max_bytes`.
    bool insert_erased_text(std::size_t max_bytes);
    std::string text() const;
    void set_text(const std::string& text);

    /// See bottom_lines.
    std::string draw();
    std::string draw_changes();
    std::string erase();
    /// Redraws the line after the terminal was resized to `width` columns and has rewrapped its
    /// text.
    std::string redraw_at_width(int width);

 private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace tandem::command
