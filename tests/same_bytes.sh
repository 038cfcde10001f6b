#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Bakes the sample assets with several builds and with one and with three threads, and compares every output file byte by byte.
# usage: same_bytes.sh BUILD BUILD...     Prints `ok NAME` or `not ok NAME: why`; the first build with one thread is the reference.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every bake that the comparison is made over: its name, the scenes it is made of, its options.
bakes=(
    "auto:*:--mode=auto"
    "auto-unreal:*:--mode=auto --engine=unreal"
    "auto-three:hero:--mode=auto --engine=three --lod=none"
    "native:*:--mode=vertex"
    "seed:*:--layout=seed"
    "openvat:*:--layout=openvat"
    "unreal:*:--mode=vertex --engine=unreal"
    "exr16:*:--mode=vertex --format=exr16"
    "ktx2:*:--mode=vertex --format=ktx2-u16 --normals=separate"
    "raw:*:--mode=vertex --engine=three"
    "paged:*:--mode=vertex --max-size=512"
    "in-place:hero:--mode=vertex --root-motion=extract --attach=* --loop=yes"
)

# bake BUILD THREADS FOLDER NAME KIND OPTIONS: one of them, of the asset NAME.
bake() {
    # shellcheck disable=SC2086 # options are words
    cd "$3" && "$1/bakewell" vat "assets/$4.glb" -o "$4.$5" --static --quiet --threads="$2" $6
}
export -f bake

# others BUILD THREADS FOLDER: trees and hair.
others() {
    cd "$3" || return 1
    mkdir -p hair trees && "$1/make_assets" trees tree bush hair >/dev/null || return 1
    local extension
    for extension in abc glb hair usda; do
        "$1/bakewell" groom trees/hair.abc -o "hair/fixed.$extension" --quiet --threads="$2" 2>/dev/null || return 1
    done
    for extension in tree bush; do
        "$1/bakewell" pivot "trees/$extension.glb" -o trees/out --rgb=extents --alpha=random --quiet --threads="$2" 2>/dev/null || return 1
    done
}

# make BUILD THREADS FOLDER: assets and bakes of one build, as many at once as there are cores: one of -O0 takes half a minute by itself.
make() {
    local build=$1 threads=$2 out=$3 scene bake name kind scenes options
    mkdir -p "$out/assets"
    "$build/make_assets" "$out/assets" >/dev/null || return 1
    for scene in "$out"/assets/*.glb; do
        name=$(basename "$scene" .glb)
        for bake in "${bakes[@]}"; do
            IFS=: read -r kind scenes options <<<"$bake"
            # shellcheck disable=SC2053 # a pattern
            [[ $name == $scenes ]] || continue
            printf '%s\0' "$build" "$threads" "$out" "$name" "$kind" "$options"
        done
    done | xargs -0 -n 6 -P "$(nproc)" bash -c 'bake "$@"' bake 2>&1 && (others "$build" "$threads" "$out")
}

reference=$work/reference
if ! message=$(make "$1" 1 "$reference"); then
    echo "not ok reference: ${message//$'\n'/ | }"
    exit 1
fi
files=$(find "$reference" -type f | wc -l)
if [ "$files" -gt 0 ]; then echo "ok reference ($files files)"; else echo "not ok reference: no file was written"; fi

for build in "$@"; do
    for threads in 1 3; do
        [ "$build" = "$1" ] && [ "$threads" = 1 ] && continue
        name="$(basename "$build") with $threads thread(s)"
        if ! message=$(make "$build" "$threads" "$work/other"); then
            echo "not ok $name: ${message//$'\n'/ | }"
        elif ! message=$(diff -rq "$reference" "$work/other"); then
            echo "not ok $name: ${message//$'\n'/ | }"
        else
            echo "ok $name"
        fi
        rm -rf "$work/other"
    done
done
