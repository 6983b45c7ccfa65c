#include "text/sentences/make_boundary_detector.hpp"

#include "text/sentences/classic_boundary.hpp"
#include "text/sentences/spoken_boundary.hpp"

namespace tandem::text {

std::unique_ptr<boundary_detector> make_boundary_detector(boundary_rule rule,
                                                          std::string_view language) {
    switch (rule) {
        case boundary_rule::classic:
            return std::make_unique<classic_boundary>();
        case boundary_rule::spoken:
            break;
    }
    return std::make_unique<spoken_boundary>(language);
}

}  // namespace tandem::text
