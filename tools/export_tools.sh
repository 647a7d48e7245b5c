#!/bin/sh
# What exported code needs, on Debian and its like: sh tools/export_tools.sh FOLDER
# Compilers, emulators, Node.js, Octave and Rust come from apt; Julia, where there is none, goes to FOLDER (debian_julia.sh).
set -u
if ! command -v apt-get > /dev/null; then
    echo "No apt-get here. Install gcc, g++, CMake, Eigen, Node.js, Octave, Rust >= 1.82, Julia, and for emulation" >&2
    echo "arm-none-eabi-gcc with newlib, aarch64-linux-gnu-gcc, qemu-system-arm and qemu-aarch64." >&2
    exit 1
fi
as_root=$([ "$(id -u)" = 0 ] || echo sudo)
install() {
    $as_root apt-get -q -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@"
}
$as_root apt-get -q update
command -v node > /dev/null || install nodejs || exit 1
install gcc g++ cmake ament-cmake libeigen3-dev octave \
    gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm \
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user || exit 1

# Rust 1.82: Debian 12 has it under another name
new_rust() {
    rustc --version 2> /dev/null | awk '{ split($2, v, "."); exit !(v[1] > 1 || v[2] >= 82) }'
}
new_rust || install rustc-web || install rustc || exit 1

command -v julia > /dev/null || [ -x "$1/julia" ] || sh "$(dirname "$0")/debian_julia.sh" "$1" ||
    echo "There is no Julia to be had here: its tests will be skipped." >&2
