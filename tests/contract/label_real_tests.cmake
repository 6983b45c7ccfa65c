# ctest reads this file, because gtest_discover_tests() can set only one label.
if(contract_real)
  set_tests_properties(${contract_real} PROPERTIES LABELS "contract;real")
endif()
