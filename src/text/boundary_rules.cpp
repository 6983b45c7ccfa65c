#include "text/boundary_rules.hpp"

#include "text/classic_boundary.hpp"

namespace tandem::text {

std::unique_ptr<boundary_detector> make_boundary_detector(boundary_rule rule) {
    switch (rule) {
        case boundary_rule::classic:
            break;
    }
    return std::make_unique<classic_boundary>();
}

}  // namespace tandem::text
