#!/bin/sh
# Usage: setup.sh build|reproduce|test
#
# Installs what that target of the Makefile needs beside cargo, python3 and make, where this is root
# on a machine with apt. Elsewhere it names what is missing and what to type; status 2 if nothing
# works without it. Of cargo and python3, of which Debian's may be too old, it only says so.
set -u
PATH=$PATH:/usr/sbin:/sbin
export DEBIAN_FRONTEND=noninteractive

# need PACKAGE COMMAND...: the command fails where the package is missing.
need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

# demand REASON COMMAND...: nothing works where the command fails.
demand() {
    reason=$1
    shift
    "$@" >/dev/null 2>&1 && return
    echo "missing: $reason" >&2
    exit 2
}

links() {
    echo 'int main(void) { return 0; }' | cc -x c -o /dev/null -
}

# What is missing of all that the targets up to $1 need.
look() {
    missing=
    need gcc command -v cc
    need libc6-dev links
    need python3-venv "${PYTHON:-python3}" -c 'import ensurepip'
    vital=$missing
    [ "$1" = build ] && return
    need iproute2 command -v ip
    need wireguard-go command -v wireguard-go
    need wireguard-tools command -v wg
    [ "$1" = reproduce ] && return
    need tshark command -v tshark
    need ns2 command -v ns
    need g++ command -v g++
    need libns3-dev ls -d /usr/include/ns3*
    need user-mode-linux command -v linux.uml
    need kmod command -v modprobe
    need nftables command -v nft
    need curl command -v curl
    need iperf3 command -v iperf3
    need chromium command -v chromium
    need valgrind command -v valgrind
    need procps command -v sysctl
    need systemd test -x /lib/systemd/systemd
}

# One that there is not shall not keep the others away.
install() {
    apt-get update -qq
    apt-get install -qq --no-install-recommends "$@" && return
    for each in "$@"; do apt-get install -qq --no-install-recommends "$each"; done
}

case ${1-} in
build | reproduce | test) ;;
*)
    echo "usage: $0 build|reproduce|test" >&2
    exit 2
    ;;
esac

look "$1"
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing$missing"
    # shellcheck disable=SC2086 # a word a package
    install $missing >/dev/null 2>&1
    look "$1"
fi
if [ -n "$missing" ]; then
    echo "missing:$missing; on Debian: sudo apt-get install$missing" >&2
    [ -z "$vital" ] || exit 2
fi
demand 'cargo; https://rustup.rs installs it' command -v cargo
demand 'rustc; https://rustup.rs installs it' command -v rustc
demand 'Python 3.11 or later; PYTHON=... names another than python3' \
    "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))'
