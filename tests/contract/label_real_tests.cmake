# ctest reads this file, because gtest_discover_tests() can set only one label.
foreach(test IN LISTS contract_real contract_guard)
  set_tests_properties(${test} PROPERTIES LABELS "contract;real")
endforeach()
