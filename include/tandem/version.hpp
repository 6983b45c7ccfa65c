#pragma once

/// The version of the headers, in numbers.
#define TANDEM_VERSION_MAJOR 0
#define TANDEM_VERSION_MINOR 1
#define TANDEM_VERSION_PATCH 0

/// For comparisons: 0.1.0 is 100, 1.2.3 is 10203.
#define TANDEM_VERSION \
    (TANDEM_VERSION_MAJOR * 10000 + TANDEM_VERSION_MINOR * 100 + TANDEM_VERSION_PATCH)
/// The version as text.
#define TANDEM_VERSION_STRING "0.1.0"
