// A paced reply with completion handlers, for programs without coroutines: each step starts the
// next.
//   example_callback http://127.0.0.1:8080 "Tell me a story."
#include <tandem/tandem.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

// Stands for your synthesizer: calls `spoken` when the words have been spoken.
void speak(boost::asio::io_context& ioc, const std::string& text, std::function<void()> spoken) {
    std::cout << "[" << text << "]" << std::endl;
    boost::asio::post(ioc, std::move(spoken));
}

// The answer to one question. Each handler owns a reference to it, which keeps the object alive.
class answer : public std::enable_shared_from_this<answer> {
 public:
    std::string error;  // the reason for a failure; empty on success

    answer(boost::asio::io_context& ioc, tandem::client& llm) : ioc_(ioc), llm_(llm) {}

    void to(const std::string& question) {
        llm_.async_apply_template(
            {{"user", question}}, diagnostics_,
            [self = shared_from_this()](tandem::error_code ec, std::string prompt) {
                if (ec) return self->fail_as(self->diagnostics_);
                self->reply_ = self->llm_.start(std::move(prompt));
                self->next_chunk();
            });
    }

 private:
    void next_chunk() {
        reply_->async_next_chunk(
            [self = shared_from_this()](tandem::error_code, std::optional<tandem::chunk> chunk) {
                if (!chunk) return self->end();  // the result has more detail than the error code
                speak(self->ioc_, chunk->speech, [self, id = chunk->id] {
                    self->reply_->continue_after(id);
                    self->next_chunk();
                });
            });
    }

    void end() {
        const auto& result = reply_->result();
        if (result.error) return fail_as(result.diagnostics);
        std::cout << to_string(result.finish_reason) << ", " << result.metrics_line() << "\n";
    }

    void fail_as(const tandem::diagnostics& told) { error = told.to_string(); }

    boost::asio::io_context& ioc_;
    tandem::client& llm_;
    std::optional<tandem::reply> reply_;
    tandem::diagnostics diagnostics_;
};

int main(int argc, char** argv) try {
    boost::asio::io_context ioc;
    tandem::client llm(ioc.get_executor(),
                       {.server = {.url = argc > 1 ? argv[1] : "http://127.0.0.1:8080"}});
    const auto job = std::make_shared<answer>(ioc, llm);
    job->to(argc > 2 ? argv[2] : "Hello");
    ioc.run();
    if (!job->error.empty()) throw std::runtime_error(job->error);
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
