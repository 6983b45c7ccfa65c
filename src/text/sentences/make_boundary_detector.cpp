#include "text/sentences/make_boundary_detector.hpp"

#include "text/sentences/classic_boundary_detector.hpp"
#include "text/sentences/spoken_boundary_detector.hpp"

namespace tandem::text {

std::unique_ptr<boundary_detector> make_boundary_detector(boundary_rule rule,
                                                          std::string_view language) {
    switch (rule) {
        case boundary_rule::classic:
            return std::make_unique<classic_boundary_detector>();
        case boundary_rule::spoken:
            break;
    }
    return std::make_unique<spoken_boundary_detector>(language);
}

}  // namespace tandem::text
