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
    /// Empty if no mark precedes the words. It may begin in the prompt, and is removed anywhere in
    /// the words, even without the white space after its last tag.
    std::string opening{};
    /// Ends words that an opening began: text after it is not spoken until another opening. Empty
    /// if nothing ends them.
    std::string closing{};

    bool operator==(const reply_delimiters&) const = default;
};

/// The part of the opening with which the prompt ends; empty if it ends otherwise.
std::string_view find_begun_opening(const reply_delimiters& marks,
                                    std::string_view prompt) noexcept;

/// Separates the words of a reply from the marks around them, and from the tool calls that end it:
/// everything from the opening mark of a call on. Of two marks at one place, the longer one is
/// used. Withholds text that may become a mark until that is decided. The visible text does not
/// depend on how the text is split into tokens.
class tool_call_splitter {
 public:
    struct visible {
        /// Valid until the splitter is used again, and no longer than the fed text.
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
    /// Reads text that `tokens` tokens produced together.
    visible feed(std::string_view text, int tokens);
    /// Sets the opening mark of a call, for text that follows or is withheld.
    void set_mark(std::string mark) { mark_ = std::move(mark); }
    /// Ends the text: withheld text becomes visible, unless it is a mark, or clearly the beginning
    /// of the closing mark.
    visible finish();
    /// Makes all withheld text visible, including the supposed call, because it is not one.
    visible show_all_as_text();

    const std::string& mark() const noexcept { return mark_; }
    const reply_delimiters& words() const noexcept { return words_; }
    bool has_mark() const noexcept { return withholds_all_ || !mark_.empty(); }
    bool has_call() const noexcept { return !call_.empty(); }
    /// The text from the mark on; at most one token longer than `max_call_bytes`.
    const std::string& call() const noexcept { return call_; }
    bool is_too_long() const noexcept { return call_.size() > max_call_bytes; }

 private:
    /// The place in the withheld text where a mark begins, or may begin; its end if there is none.
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
    std::size_t of_prompt_ = 0;  // bytes of `withheld_` that the prompt contains
    int tokens_ = 0;             // of `withheld_`, or of all text
    std::string shown_;
};

}  // namespace tandem::text
