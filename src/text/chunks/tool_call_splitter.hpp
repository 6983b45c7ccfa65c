#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::text {

/// Maximum bytes of tool calls in a reply, including their marks.
inline constexpr std::size_t max_call_bytes = std::size_t{1} << 20;

/// The marks that a model writes around the words of each reply, such as ">>>all\n". They are not
/// spoken.
struct reply_delimiters {
    /// The mark before the words; empty if there is none. It may begin in the prompt. It is removed
    /// wherever it occurs, even if the white space after its last tag is missing.
    std::string opening{};
    /// The mark after the words; empty if there is none. Text after it is not spoken until
    /// `opening` occurs again.
    std::string closing{};

    bool operator==(const reply_delimiters&) const = default;
};

/// The longest beginning of `opening` with which the prompt ends; may be empty.
std::string_view find_begun_opening(const reply_delimiters& marks,
                                    std::string_view prompt) noexcept;

/// Separates the words of a reply from the marks around them and from its tool calls. All text from
/// the opening mark of the first call on belongs to the calls. If two marks begin at one place, the
/// longer one is used. Withholds text that may become a mark until this is decided. The visible
/// text does not depend on how the text is split into tokens.
class tool_call_splitter {
 public:
    struct visible {
        /// Valid until the splitter is used again, and only as long as the fed text is valid.
        std::string_view text{};
        /// 0 if the tokens of the text were returned earlier.
        int tokens = 0;
    };

    /// `mark` is the text with which a call begins; empty if the reply contains no calls.
    explicit tool_call_splitter(std::string mark = {}, reply_delimiters words = {})
        : mark_(std::move(mark)), words_(std::move(words)) {}
    static tool_call_splitter withholding_all() {
        tool_call_splitter all;
        all.withholds_all_ = true;
        return all;
    }

    /// The reply continues this prompt, which may end within the words or their opening. Call it
    /// before feed().
    void start_after_prompt(std::string_view prompt);
    /// Reads the text of `tokens` tokens.
    visible feed(std::string_view text, int tokens);
    /// Sets the opening mark of a call. It applies to withheld text and to text that follows.
    void set_mark(std::string mark) { mark_ = std::move(mark); }
    /// Ends the text. Withheld text becomes visible, unless it is an opening mark or clearly the
    /// beginning of the closing mark.
    visible finish();
    /// Makes all withheld text visible, including what was taken for a call.
    visible show_all_as_text();

    const std::string& mark() const noexcept { return mark_; }
    const reply_delimiters& words() const noexcept { return words_; }
    bool has_mark() const noexcept { return withholds_all_ || !mark_.empty(); }
    bool has_call() const noexcept { return !call_.empty(); }
    /// The text from the opening mark of the first call on; at most one token longer than
    /// `max_call_bytes`.
    const std::string& call() const noexcept { return call_; }
    bool is_too_long() const noexcept { return call_.size() > max_call_bytes; }

 private:
    /// Where a mark begins, or may begin, in the withheld text; the end of that text if there is
    /// none.
    struct found_mark {
        std::size_t at;
        const std::string* mark = nullptr;  // null: undecided
        std::size_t bytes = 0;
    };
    enum class place { before_words, in_words, after_words };

    found_mark find_mark(std::size_t from) const;
    bool is_cut_mark() const;
    void begin_call(std::size_t at);
    void show(std::size_t from, std::size_t to);
    visible show_withheld_text();
    visible take_shown_text();

    std::string mark_;
    reply_delimiters words_;
    bool withholds_all_ = false;
    place place_ = place::before_words;
    std::string call_;
    std::string withheld_;
    std::size_t of_prompt_ = 0;  // bytes of `withheld_` that come from the prompt
    int tokens_ = 0;             // tokens read but not yet returned
    std::string shown_;
};

}  // namespace tandem::text
