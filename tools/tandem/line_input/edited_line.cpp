#include "line_input/edited_line.hpp"

#include "text/characters/utf8.hpp"
#include "text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cwchar>
#include <histedit.h>
#include <utility>

namespace tandem::command {
namespace {

using key_kind = typed_key::kind;

constexpr int prompt_columns = 2;

std::wstring wide(std::string_view text) {
    std::wstring result;
    while (!text.empty()) {
        const auto next = text::decode_first_character(text);
        result += static_cast<wchar_t>(next.character);
        text.remove_prefix(next.bytes);
    }
    return result;
}

std::string narrow(std::wstring_view text) {
    std::string result;
    for (const wchar_t c : text) text::append_utf8(result, static_cast<char32_t>(c));
    return result;
}

// Returns the number of terminal rows above the cursor, including rows from line wrapping.
int rows_before_cursor(std::string_view text, int width) {
    int rows = 0;
    for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
        rows += 1 + std::max(0, count_columns(text.substr(0, end)) - 1) / width;
        text.remove_prefix(end + 1);
    }
    return rows + count_columns(text) / width;
}

struct binding {
    wchar_t key;
    const wchar_t* command;
    key_kind pressed;
};

// Control characters and the libedit commands that they run. No command may read another key,
// because this class gets one key at a time.
constexpr wchar_t redraw_key = 0x12;
constexpr std::array<binding, 14> bindings{{
    {0x01, L"ed-move-to-beg", key_kind::line_start},
    {0x02, L"ed-prev-char", key_kind::left},
    {0x04, L"ed-delete-next-char", key_kind::erase_next},
    {0x05, L"ed-move-to-end", key_kind::line_end},
    {0x06, L"ed-next-char", key_kind::right},
    {0x08, L"ed-delete-prev-char", key_kind::erase},
    {0x0b, L"ed-kill-line", key_kind::erase_to_end},
    {0x0e, L"em-next-word", key_kind::word_right},
    {0x10, L"ed-prev-word", key_kind::word_left},
    {0x13, L"em-delete-next-word", key_kind::erase_next_word},
    {0x14, L"ed-transpose-chars", key_kind::transpose},
    {0x15, L"vi-kill-line-prev", key_kind::erase_to_start},
    {0x17, L"ed-delete-prev-word", key_kind::erase_word},
    {0x19, L"em-yank", key_kind::put_back},
}};

// Returns 0 for a key that has no command.
wchar_t key_of(key_kind k) {
    const auto found = std::ranges::find(bindings, k, &binding::pressed);
    return found == bindings.end() ? L'\0' : found->key;
}

}  // namespace

// Collects the output of libedit, because only `terminal` may write to the screen.
class collected_output {
 public:
    collected_output()
        : file_(::fopencookie(this, "w", {nullptr, &collected_output::write, nullptr, nullptr})) {}
    ~collected_output() {
        if (file_) std::fclose(file_);
    }
    collected_output(const collected_output&) = delete;
    collected_output& operator=(const collected_output&) = delete;

    FILE* file() const noexcept { return file_; }
    std::string take() {
        std::fflush(file_);
        return std::exchange(text_, {});
    }

 private:
    static ssize_t write(void* self, const char* bytes, std::size_t size) {
        static_cast<collected_output*>(self)->text_.append(bytes, size);
        return static_cast<ssize_t>(size);
    }

    std::string text_;
    FILE* file_;
};

struct edited_line::state {
    collected_output out;
    EditLine* line = nullptr;
    wchar_t next_key = 0;
    bool hides_prompt = false;
    std::array<wchar_t, prompt_columns + 1> prompt{L'>', L' ', 0};
    std::array<wchar_t, 1> no_prompt{0};

    static state& of(EditLine* e) {
        void* self = nullptr;
        el_wget(e, EL_CLIENTDATA, &self);
        return *static_cast<state*>(self);
    }
    static int read_key(EditLine* e, wchar_t* key) {
        *key = std::exchange(of(e).next_key, 0);
        return *key == 0 ? 0 : 1;
    }
    static wchar_t* prompt_of(EditLine* e) {
        auto& self = of(e);
        return self.hides_prompt ? self.no_prompt.data() : self.prompt.data();
    }

    void set_up() {
        el_wset(line, EL_CLIENTDATA, this);
        el_wset(line, EL_EDITOR, L"emacs");
        el_wset(line, EL_SIGNAL, 0);
        el_wset(line, EL_GETCFN, &state::read_key);
        el_wset(line, EL_PROMPT, &state::prompt_of);
        for (const auto& b : bindings) bind(b.key, b.command);
        bind(redraw_key, L"ed-redisplay");
    }
    void bind(wchar_t key, const wchar_t* command) {
        const std::array<wchar_t, 2> text{key, 0};
        el_wset(line, EL_BIND, text.data(), command, nullptr);
    }
    void call(wchar_t key) {
        next_key = key;
        int ignored = 0;
        el_wgets(line, &ignored);
    }
    std::wstring_view text() const {
        const auto* l = el_wline(line);
        return {l->buffer, static_cast<std::size_t>(l->lastchar - l->buffer)};
    }
    int cursor() const { return el_cursor(line, 0); }
    void clear() {
        const auto size = static_cast<int>(text().size());
        el_cursor(line, size);
        el_wdeletestr(line, size);
    }
    // Does not redraw.
    void put(const std::wstring& text, int at) {
        clear();
        el_winsertstr(line, text.c_str());
        el_cursor(line, at - cursor());
    }
    // Replaces the text and redraws.
    void replace(const std::wstring& text, std::size_t at) {
        put(text, static_cast<int>(at));
        call(redraw_key);
    }
};

edited_line::edited_line(int in, int out) : state_(std::make_unique<state>()) {
    if (!state_->out.file()) return;
    auto* f = state_->out.file();
    state_->line = el_init_fd("tandem", stdin, f, f, in, out, out);
    if (state_->line) state_->set_up();
}

edited_line::~edited_line() {
    if (state_->line) el_end(state_->line);
}

bool edited_line::is_supported() const noexcept {
    if (!state_->line) return false;
    for (const char* wanted : {"ce", "up", "nd"}) {
        char* found = nullptr;
        if (el_wget(state_->line, EL_GETTC, wanted, &found) != 0 || !found || !*found) return false;
    }
    return true;
}

// EL_UNBUFFERED makes libedit start a new line, so this function restores the text.
void edited_line::begin_keys() {
    auto& s = *state_;
    const auto kept = std::wstring(s.text());
    const int at = s.cursor();
    el_wset(s.line, EL_UNBUFFERED, 1);
    s.put(kept, at);
    s.out.take();
}

void edited_line::end_keys() {
    el_wset(state_->line, EL_UNBUFFERED, 0);
    state_->out.take();
}

void edited_line::press(const typed_key& key) {
    if (key.what == key_kind::text) {
        for (const wchar_t c : wide(key.text)) state_->call(c);
    } else if (const auto k = key_of(key.what)) {
        state_->call(k);
    }
}

void edited_line::insert(const std::string& text) {
    const auto more = wide(text);
    auto all = std::wstring(state_->text());
    const auto at = static_cast<std::size_t>(state_->cursor());
    all.insert(at, more);
    state_->replace(all, at + more.size());
}

// libedit does not show what it would insert, so the check comes after the insertion.
bool edited_line::insert_erased_text(std::size_t max_bytes) {
    const auto before = std::wstring(state_->text());
    const auto at = static_cast<std::size_t>(state_->cursor());
    state_->call(key_of(key_kind::put_back));
    if (text().size() <= max_bytes) return true;
    state_->replace(before, at);
    return false;
}

std::string edited_line::text() const {
    return narrow(state_->text());
}

void edited_line::set_text(const std::string& text) {
    const auto all = wide(text);
    state_->replace(all, all.size());
}

std::string edited_line::draw() {
    el_resize(state_->line);
    state_->out.take();
    el_wset(state_->line, EL_REFRESH);
    return state_->out.take();
}

std::string edited_line::draw_changes() {
    return state_->out.take();
}

std::string edited_line::erase() {
    auto& s = *state_;
    const auto kept = std::wstring(s.text());
    const int at = s.cursor();
    s.hides_prompt = true;
    s.replace({}, 0);
    s.hides_prompt = false;
    s.put(kept, at);
    return s.out.take();
}

std::string edited_line::redraw_at_width(int width) {
    auto& s = *state_;
    const auto before = narrow(s.text().substr(0, static_cast<std::size_t>(s.cursor())));
    const int rows = rows_before_cursor("> " + before, width);
    const auto up = rows > 0 ? fmt::format("\x1b[{}A", rows) : std::string();
    return up + "\r\x1b[J" + draw();
}

}  // namespace tandem::command
