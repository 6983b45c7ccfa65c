# Read by ctest. gtest_discover_tests() can give a test one label only.
foreach(test ${chaos_real} ${chaos_soak})
  set_tests_properties(${test} PROPERTIES LABELS "chaos;real")
endforeach()
