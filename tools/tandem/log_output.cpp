#include "log_output.hpp"

#include "tandem/spdlog.hpp"

#include <spdlog/sinks/base_sink.h>

#include <memory>
#include <mutex>
#include <string_view>

namespace tandem::command {
namespace {

// Goes through the terminal, which has the bottom line to take care of.
class terminal_sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
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

}  // namespace

logger log_to_terminal(terminal& t, log_level level) {
    if (level == log_level::off) return {};
    auto target = std::make_shared<spdlog::logger>("tandem", std::make_shared<terminal_sink>(t));
    target->set_level(spdlog::level::debug);
    target->set_pattern("%H:%M:%S.%e %l: %v");
    return log_to(std::move(target), level);
}

}  // namespace tandem::command
