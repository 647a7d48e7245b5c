include(${CMAKE_CURRENT_LIST_DIR}/stub.cmake)
stub_package(rclcpp)
