#include "tandem/config.hpp"

namespace tandem {}
