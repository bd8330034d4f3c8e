#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
#
# Installs into a folder of its own, moves that folder (an installed copy is relocatable), then builds and
# runs programs from outside the tree against it, in both flavours, with no environment but what
# "softdoca env" prints. Speaks TAP. Usage: install_test.sh BUILD_DIR SOURCE_DIR PREFIX_OF_THE_BUILD
set -euo pipefail

build_dir=$1
release=$(cat "$2/VERSION")
program_dir=$2/tests/install/program
built_prefix=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/softdoca
test_number=0

check() { # DESCRIPTION COMMAND...: one TAP line
    local description=$1
    shift
    test_number=$((test_number + 1))
    set +e # not "if": that would turn errors in the command off
    (set -e && "$@") >"$work/output" 2>&1
    local status=$?
    set -e
    if [ "$status" -eq 0 ]; then
        echo "ok $test_number - $description"
    else
        echo "not ok $test_number - $description"
        sed 's/^/# /' "$work/output"
    fi
}

skip() { # DESCRIPTION REASON
    test_number=$((test_number + 1))
    echo "ok $test_number - $1 # SKIP $2"
}

# A shell that has the exports of one flavour and nothing else of ours.
in_env() { # FLAVOUR SCRIPT
    # shellcheck disable=SC2016 # expanded in that shell
    env -i HOME="$work" PATH="$PATH" sh -ec \
        'exports=$("$1/bin/softdoca" env "$2"); eval "$exports"; eval "$3"' sh "$prefix" "$1" "$2"
}

expected_output() { # FLAVOUR
    case $1 in
        dpu) printf 'dpu 0000:03:00.0 0000:03:00.1\ncopied\n' ;;
        host) printf 'host 0000:3b:00.0 0000:3b:00.1\ncopied\n' ;;
    esac
}

outside_program() { # FLAVOUR WAY BUILD_SCRIPT: the script leaves the program as ./copy or build/copy
    local dir=$work/$1-$2 address=03:00.0 output
    [ "$1" = dpu ] || address=3b:00.0
    cp -r "$program_dir" "$dir"
    in_env "$1" "cd '$dir'; $3"
    output=$(in_env "$1" "cd '$dir'; if [ -x copy ]; then ./copy -p $address; else build/copy -p $address; fi")
    diff <(echo "$output") <(expected_output "$1")
}

install_and_move() {
    DESTDIR=$work/staging meson install -C "$build_dir" --no-rebuild --quiet
    mv "$work/staging$built_prefix" "$prefix"
}

tree_is_complete() {
    local flavour file
    for flavour in host dpu; do
        for file in lib/$flavour/libdoca_{common,dma,comch,argp}.{so,so.2,so.3.3.0000,a} \
            lib/$flavour/libsoftdoca_model.{so,so.${release%%.*},so.$release,a} \
            lib/$flavour/pkgconfig/softdoca-model{,-lib}.pc \
            lib/$flavour/pkgconfig/doca-{common,dma,comch,argp}{,-lib}.pc \
            bin/$flavour/doca_{caps,comm_channel_admin,secure_channel,dma_copy} \
            bin/$flavour/doca_dma_{local_copy,copy_host,copy_dpu} \
            bin/$flavour/doca_comch_{ctrl_path,data_path_high_speed}_{server,client} \
            bin/$flavour/doca_cpp_dma_copy; do
            [ -s "$prefix/$file" ] || { echo "missing: $file" && return 1; }
        done
    done
    for file in bin/host/doca_cpp_{host_export,comch_echo_client,comch_producer} \
        bin/dpu/doca_cpp_{dpu_import,comch_echo_server,comch_consumer} \
        include/softdoca/doca.hpp include/softdoca/doca/{dma,comch,objects}.hpp \
        share/softdoca/samples/cpp/{dma_copy,host_export,dpu_import}.cpp \
        share/softdoca/samples/cpp/comch_{echo_server,echo_client,consumer,producer}.cpp \
        bin/softdoca include/doca_dma.h include/doca_comch{,_consumer,_producer,_msgq}.h \
        include/softdoca/{memory,model}.h include/dpu/doca_build_config.h \
        share/man/man1/{softdoca,doca_caps,doca_comm_channel_admin}.1 share/man/man7/softdoca{,_model}.7 \
        share/softdoca/{samples,applications}/{meson.build,README.md} \
        share/bash-completion/completions/softdoca share/zsh/site-functions/_softdoca \
        share/softdoca/docs/{card,compatibility,cpp,model,topology}.md \
        share/softdoca/topologies/{built-in,two-by-two}.toml; do
        [ -s "$prefix/$file" ] || { echo "missing: $file" && return 1; }
    done
    [ "$(ls "$prefix/include/dpu")" = doca_build_config.h ]
}

versions_agree() { # FLAVOUR
    in_env "$1" '
        for module in doca-common doca-dma doca-comch doca-argp; do
            [ "$(pkg-config --modversion $module $module-lib | sort -u)" = 3.3.0000 ]
        done'
}

path_selects() { # FLAVOUR: PATH alone chooses the tools, and they see the devices of their side
    in_env "$1" 'command -v doca_caps; doca_caps --list-devs' >"$work/caps"
    grep -qx "$prefix/bin/$1/doca_caps" "$work/caps"
    diff <(sed -n 's/^PCI: //p' "$work/caps") \
        <(expected_output "$1" | head -n 1 | cut -d' ' -f2- | tr ' ' '\n')
}

sources_build() { # FLAVOUR FOLDER PROGRAM: sources that were installed, with the build file beside them
    in_env "$1" "meson setup '$work/$2-$1' '$prefix/share/softdoca/$2'
        ninja -C '$work/$2-$1'"
    [ -x "$work/$2-$1/$3" ]
}

samples_build() { # FLAVOUR
    sources_build "$1" samples doca_comch_ctrl_path_client
    in_env "$1" "'$work/samples-$1/doca_pe_polling'"
    [ "$(in_env "$1" "'$work/samples-$1/doca_cpp_dma_copy'")" = 'copied by a coroutine' ]
}

# The macro on the command line turns the host's header into the DPU flavour.
macro_selects() {
    in_env host "cd '$program_dir'
        cc -DDOCA_ARCH_DPU copy.c \$(pkg-config --cflags --libs doca-common doca-dma doca-argp) \
            -o '$work/macro'
        '$work/macro' -p 03:00.0" >"$work/macro.out"
    diff "$work/macro.out" <(expected_output dpu)
}

comch_builds() { # FLAVOUR
    in_env "$1" "cd '$program_dir'
        cc -Wall -Wextra -Werror echo.c \$(pkg-config --cflags --libs doca-common doca-comch) \
            -o '$work/echo-$1'
        cc -static echo.c \$(pkg-config --static --cflags --libs doca-common doca-comch) \
            -o '$work/echo-static-$1'"
}

# In C and C++, shared and static; the side is that of the flavour.
model_runs() { # FLAVOUR
    local address=0000:3b:00.0 program
    [ "$1" = host ] || address=0000:03:00.0
    in_env "$1" "cd '$program_dir'
        [ \"\$(pkg-config --modversion softdoca-model)\" = $release ]
        cc -Wall -Wextra -Werror frame.c \$(pkg-config --cflags --libs softdoca-model) -o '$work/frame-c-$1'
        c++ -x c++ -Wall -Wextra -Werror frame.c -x none \
            \$(pkg-config --cflags --libs softdoca-model) -o '$work/frame-cxx-$1'
        cc -static frame.c \$(pkg-config --static --cflags --libs softdoca-model) -o '$work/frame-static-$1'"
    for program in frame-c frame-cxx frame-static; do
        [ "$(in_env "$1" "'$work/$program-$1'")" = "sent by $address: DOCA_SUCCESS" ]
    done
}

run_pair() { # DPU_COMMAND HOST_COMMAND: their output goes to pair.out, and is shown if one fails
    "$prefix/bin/softdoca" pair --timeout 60 --dpu "$1" --host "$2" >"$work/pair.out" 2>&1 || {
        cat "$work/pair.out"
        return 1
    }
}

# Linked to the shared libraries or not: it is the same protocol.
comch_talks() {
    run_pair "'$work/echo-dpu' 03:00.0" "'$work/echo-static-host' 3b:00.0"
    [ "$(grep -c ' echoed$' "$work/pair.out")" -eq 2 ]
    run_pair "'$work/echo-static-dpu' 03:00.0" "'$work/echo-host' 3b:00.0"
    [ "$(grep -c ' echoed$' "$work/pair.out")" -eq 2 ]
}

secure_channel_runs() { # COMMAND: the program, with FLAVOUR in place of dpu and host
    run_pair "${1//FLAVOUR/dpu} -s 256 -n 10 -p 03:00.0 -r 3b:00.0" \
        "${1//FLAVOUR/host} -s 256 -n 10 -p 3b:00.0"
    [ "$(grep -c 'Consumer received 10 messages' "$work/pair.out")" -eq 2 ]
}

# Both sides from the installed tree, with nothing in the environment; they leave nothing behind.
pair_runs() {
    local files="-d '$work/desc' -b '$work/buffer'"
    "$prefix/bin/softdoca" pair --first host --timeout 60 \
        --host "'$prefix/bin/host/doca_dma_copy_host' $files -t 'across the bus'" \
        --dpu "'$prefix/bin/dpu/doca_dma_copy_dpu' $files" >"$work/pair.out" 2>&1 &&
        grep -q 'Memory content: across the bus' "$work/pair.out" || {
        cat "$work/pair.out"
        return 1
    }
}

# Built from the installed sources; each side is that of its flavour.
cpp_samples_talk() {
    run_pair "'$work/samples-dpu/doca_cpp_comch_consumer' 100" \
        "'$work/samples-host/doca_cpp_comch_producer' 100"
    grep -q 'received 100, sum 5050' "$work/pair.out"
}

modules='doca-common doca-dma doca-argp'
by_cc="cc -Wall -Wextra -Werror copy.c \$(pkg-config --cflags --libs $modules) -o copy"
by_meson='meson setup build && ninja -C build'
by_cmake='cmake -G Ninja -S . -B build && cmake --build build'
all_static="cc -static copy.c \$(pkg-config --static --cflags --libs $modules) -o copy"
ours_static="cc copy.c \$(pkg-config --cflags $modules) -Wl,-Bstatic \
    \$(pkg-config --static --libs $modules) -Wl,-Bdynamic -o copy
    ! ldd copy | grep doca"
meson_static="sed -i \"/dependency/s/')/', static: true)/\" meson.build
    meson setup build && ninja -C build && ! ldd build/copy | grep doca"

echo "1..32"
check "install and move" install_and_move
check "every file of the installed tree is there" tree_is_complete
for flavour in host dpu; do
    check "$flavour: pkg-config versions" versions_agree $flavour
    check "$flavour: PATH selects the tools" path_selects $flavour
    check "$flavour: cc" outside_program $flavour cc "$by_cc"
    check "$flavour: meson" outside_program $flavour meson "$by_meson"
    if command -v cmake >/dev/null; then
        check "$flavour: CMake, pkg_check_modules" outside_program $flavour cmake "$by_cmake"
    else
        skip "$flavour: CMake, pkg_check_modules" "cmake is not installed"
    fi
    check "$flavour: cc -static" outside_program $flavour static "$all_static"
    check "$flavour: our libraries static, the rest shared" \
        outside_program $flavour ours_static "$ours_static"
    check "$flavour: meson, static libraries" outside_program $flavour meson_static "$meson_static"
    check "$flavour: the installed samples build" samples_build $flavour
    check "$flavour: the installed applications build" sources_build $flavour applications \
        doca_secure_channel
    check "$flavour: a Comch program, shared and static" comch_builds $flavour
    check "$flavour: a program of the model, in C and C++, shared and static" model_runs $flavour
done
check "-DDOCA_ARCH_DPU turns the host flavour into the DPU's" macro_selects
check "a host and a DPU program copy between them" pair_runs
check "a host and a DPU program of somebody else talk by Comch" comch_talks
check "the installed secure_channel runs" secure_channel_runs "'$prefix/bin/FLAVOUR/doca_secure_channel'"
check "secure_channel, built from the installed sources, runs" secure_channel_runs \
    "'$work/applications-FLAVOUR/doca_secure_channel'"
check "the C++ samples, built from the installed sources, talk" cpp_samples_talk
