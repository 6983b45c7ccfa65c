# ctest reads this file, because gtest_discover_tests() can set only one label.
foreach(test ${chaos_real} ${chaos_soak})
  set_tests_properties(${test} PROPERTIES LABELS "chaos;real")
endforeach()
