#include "terminal/log_output.hpp"

#include "base/format_utc_time.hpp"
#include "text/format_error.hpp"
#include "text/json_object.hpp"

#include "tandem/spdlog.hpp"

#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::command {
namespace {

// Writes through `terminal`, so that log lines do not destroy the bottom line. The mutex of the
// base class protects the formatter.
class terminal_sink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
    explicit terminal_sink(terminal& t) : terminal_(t) {}

 private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        std::string_view text(line.data(), line.size());
        if (text.ends_with('\n')) text.remove_suffix(1);
        terminal_.print_error(text);
    }
    void flush_() override {}

    terminal& terminal_;
};

log_function json_lines_on(terminal& t) {
    return [&t](log_level level, std::string_view message) {
        t.print_error(json_object{}
                          .field("time", format_utc_time(std::chrono::system_clock::now()))
                          .field("level", level_names[static_cast<std::size_t>(level)])
                          .field("message", message)
                          .finish());
    };
}

log_function text_lines_on(terminal& t) {
    auto target = std::make_shared<spdlog::logger>("tandem", std::make_shared<terminal_sink>(t));
    target->set_level(spdlog::level::debug);
    target->set_pattern("%H:%M:%S.%e %l: %v");
    return log_to(std::move(target)).write;
}

}  // namespace

logger log_to_terminal(terminal& t, log_level level, log_format format) {
    if (level == log_level::off) return {};
    auto lines = format == log_format::json ? json_lines_on(t) : text_lines_on(t);
    return {level, [write = std::move(lines)](log_level l, std::string_view message) {
                write(l, replace_field_names(std::string(message)));
            }};
}

}  // namespace tandem::command
