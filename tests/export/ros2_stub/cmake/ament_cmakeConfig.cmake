set(ament_cmake_FOUND TRUE)
function(ament_package)
endfunction()
