#pragma once

#include <string>
#include <string_view>

namespace tandem {

/// Makes valid UTF-8 out of bytes that come in parts, such as a stream of tokens: what is valid
/// stays as it is, and bytes that can never become a character are replaced by U+FFFD, one for each
/// longest start of a character among them, as the Unicode standard recommends. The result is the
/// same for every division into parts. All texts that the library hands out went through this or
/// are valid already; it is here for programs that read tokens of other servers.
/// Needs no other part of the library. One object reads one text. Not thread-safe; objects share
/// nothing. Throws std::bad_alloc only.
class utf8_sanitizer {
 public:
    /// Appends to `out` what `bytes` complete. Half a character at the end, 3 bytes at most, is
    /// kept for the next call. `bytes` may not be part of `out`.
    void append(std::string_view bytes, std::string& out);
    /// No bytes follow: half a character becomes one U+FFFD. The object can read another text then.
    void flush(std::string& out);
    /// Whether half a character is kept.
    bool has_partial() const noexcept { return !partial_.empty(); }

 private:
    std::string partial_;
};

/// The same for a text that came whole: valid UTF-8, at most three times as long as `bytes`.
/// Throws std::bad_alloc only. May be called from any thread.
std::string sanitized_utf8(std::string_view bytes);

}  // namespace tandem
