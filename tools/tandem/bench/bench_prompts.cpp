#include "bench/bench_prompts.hpp"

#include <string>
#include <utility>

namespace tandem::command {
namespace {

dialogue dialogue_of(std::string id, std::string system, std::vector<std::string> turns) {
    dialogue d;
    d.id = std::move(id);
    d.messages.push_back({"system", std::move(system)});
    d.turns = std::move(turns);
    return d;
}

}  // namespace

std::vector<dialogue> default_dialogues() {
    return {
        dialogue_of("ferry",
                    "You answer the telephone of a ferry line. Speak in short, whole sentences, "
                    "without lists and without Markdown.",
                    {"Good morning. When does the next ferry to the island leave?",
                     "And how much is a return for two adults and a child?",
                     "Can we take our dog along?", "Thank you. Please book the three of us."}),
        dialogue_of("doctor",
                    "You are the receptionist of Dr. Imre's surgery. Be kind and brief, and ask "
                    "for one thing at a time.",
                    {"Hello, I would like to see the doctor this week.",
                     "Thursday is fine, but only after four.", "It is about my left knee."}),
        dialogue_of("recipe", "You help in the kitchen. Your words are read aloud by a voice.",
                    {"What can I cook with leeks, potatoes and an egg?", "How long does that take?",
                     "Tell me the steps, one after the other."}),
        dialogue_of("story", "You tell stories to children at bedtime, in four or five sentences.",
                    {"Tell me a story of a fox and the moon.", "What did the fox do then?"}),
    };
}

}  // namespace tandem::command
