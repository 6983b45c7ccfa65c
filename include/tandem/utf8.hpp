#pragma once

#include <string>
#include <string_view>

namespace tandem {
inline namespace v0 {

/// Makes valid UTF-8 from bytes that arrive in parts, such as tokens. Valid text stays as it is,
/// and invalid bytes are replaced by U+FFFD as the Unicode standard recommends. The result does not
/// depend on the division into parts. The library's own text is already valid; use this class for
/// tokens from other servers. One object reads one text. Not thread-safe; objects share nothing.
/// Throws only std::bad_alloc.
class utf8_sanitizer {
 public:
    /// Appends `bytes` to `out` as valid UTF-8. An incomplete character at the end, at most 3
    /// bytes, is kept for the next call. `bytes` must not be part of `out`.
    void append(std::string_view bytes, std::string& out);
    /// Ends the text: an incomplete character becomes U+FFFD. The object can then be reused.
    void flush(std::string& out);
    /// Whether an incomplete character is kept.
    bool has_partial() const noexcept { return !partial_.empty(); }

 private:
    std::string partial_;
};

/// Converts a whole text to valid UTF-8, which is at most three times as long as `bytes`. Throws
/// only std::bad_alloc. May be called from any thread.
std::string sanitized_utf8(std::string_view bytes);

}  // namespace v0
}  // namespace tandem
