# Read by ctest. gtest_discover_tests() can give a test one label only.
if(contract_real)
  set_tests_properties(${contract_real} PROPERTIES LABELS "contract;real")
endif()
