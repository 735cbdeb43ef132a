#!/bin/sh
# The same with a program that has the key: modreg gives it the text, and verifies what it prints.
#   MODREG_REGISTRY=https://registry.example MODREG_TOKEN=… SIGNING_KEY_FILE=publish.key sh ci-program.sh acme:lidar 1.4.0 lidar.tar.gz
set -eu
here=$(dirname "$0")
modreg registry publish "$1" "$2" --upload "$3" --registry "$MODREG_REGISTRY" --sign-with "$here/sign.sh"
