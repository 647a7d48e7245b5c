include(${CMAKE_CURRENT_LIST_DIR}/stub.cmake)
stub_package(trajectory_msgs)
