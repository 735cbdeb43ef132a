#!/bin/sh
# The second person of a release that needs two keys: compares what the registry has with the file that was built here, then signs exactly that.
#   MODREG_REGISTRY=https://registry.example MODREG_TOKEN=… sh approve.sh acme:lidar 1.4.0 lidar.tar.gz approver.key
set -eu
shown=$(modreg registry sign "$1" "$2" --registry "$MODREG_REGISTRY" --json)
digest=$(sha256sum "$3" | cut -d ' ' -f 1)
case $shown in
  *"sha256:$digest "*) ;;
  *) echo "approve.sh: the registry does not have $3 as $1 $2" >&2; exit 1 ;;
esac
seen=$(printf '%s\n' "$shown" | sed 's/.*"seen":"\([^"]*\)".*/\1/')
modreg registry sign "$1" "$2" --registry "$MODREG_REGISTRY" --seen "$seen" --key "$4"
