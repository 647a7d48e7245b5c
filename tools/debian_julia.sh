#!/bin/sh
# Julia of Debian 11, which later ones lack, in a folder of its own: sh tools/debian_julia.sh FOLDER
# Nothing is installed: packages are downloaded by apt, which checks their signatures, and unpacked. FOLDER/julia runs it.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
packages="julia julia-common libjulia1 libamd2 libblas3 libcamd2 libccolamd2 libcholmod3 libcolamd2 libcurl3-gnutls
libdsfmt-19937-1 libffi7 libgfortran5 libgit2-1.1 libgmp10 libhttp-parser2.9 libldap-2.4-2 libllvm9 libmbedcrypto3 libmbedtls12
libmbedx509-0 libmetis5 libmpfr6 libopenblas0-pthread libopenlibm3 libpcre2-8-0 libquadmath0
libsasl2-2 libspqr2 libssh2-1 libsuitesparseconfig5 libumfpack5 libunwind8 libutf8proc2"

mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial" "$folder/debs"
key=$(ls /usr/share/keyrings/debian-archive-keyring.gpg)
echo "deb [signed-by=$key] http://deb.debian.org/debian bullseye main" > "$folder/apt/sources.list"
: > "$folder/apt/status"
apt() {
    apt-get -o Dir::Etc::sourcelist="$folder/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$folder/apt" \
        -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt" -o Acquire::Check-Valid-Until=false \
        -o APT::Sandbox::User=root "$@"
}
apt -q update
(cd "$folder/debs" && apt -q download $packages)
for deb in "$folder"/debs/*.deb; do
    dpkg-deb -x "$deb" "$folder/root"
done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
cat > "$folder/julia" <<END
#!/bin/sh
LD_LIBRARY_PATH=$libraries:$libraries/julia:$libraries/openblas-pthread exec $folder/root/usr/bin/julia "\$@"
END
chmod +x "$folder/julia"
"$folder/julia" --version
