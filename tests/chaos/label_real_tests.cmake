# Read by ctest. gtest_discover_tests() can give a test one label only.
if(chaos_real)
  set_tests_properties(${chaos_real} PROPERTIES LABELS "chaos;real")
endif()
