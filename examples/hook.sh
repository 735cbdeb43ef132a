#!/bin/sh
# A program for `modreg poll --exec`. It gets one action as a line of JSON on stdin, and brings the release of a module into
# place: download, verify, test, switch. Here a release is one executable file, and switching means a symbolic link; where a
# module is a service, restart it after the link and test it then.
#
# It may be killed at any point and is then run again with the same action, so each step may be repeated.
set -u

# 75: this machine is at fault, and the action is tried again. Only a release that was started and does not work is
# rejected, with 1: it is quarantined, and the last line of stderr is the reason.
try_later() { echo "$1" >&2; exit 75; }

# Keys before "entry" are modreg's own, so the configuration cannot forge one of them.
read -r action
action=${action%%,\"entry\":*}
field() { printf '%s\n' "$action" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

name=$(field name) to=$(field to) url=$(field url) digest=$(field digest) root=$(field root)
modules=${PLATFORM_HOME:-$HOME/.platform}/modules
case $name in '' | *\\*) try_later "this script does not support the name of the module entry" ;; esac
[ -n "$root" ] || try_later "this script does not support a pin_url"

if [ ! -x "$root/module" ]; then
  [ -n "$url" ] || try_later "the registry lists no file of $name $to for this platform"
  case $digest in
    sha256:*) sum=sha256sum ;;
    sha512:*) sum=sha512sum ;;
    *) try_later "the registry lists no digest of $name $to" ;;
  esac
  mkdir -p "$root" || try_later "cannot create $root"
  # -g: an address with [1-10000000] is one address, and not ten million (T285).
  if command -v curl >/dev/null; then
    curl -fsSg -o "$root/part" "$url" || try_later "cannot download $name $to"
  else
    wget -q -O "$root/part" "$url" || try_later "cannot download $name $to"
  fi
  echo "${digest#*:}  $root/part" | $sum -c --status || try_later "the download of $name $to is damaged"
  chmod +x "$root/part" || try_later "cannot make $name $to executable"
  mv "$root/part" "$root/module" || try_later "cannot store $name $to"
fi

"$root/module" --self-test
case $? in
  0) ;;
  126 | 127) try_later "cannot start $name $to" ;;
  *) exit 1 ;;
esac

mkdir -p "$modules" || try_later "cannot create $modules"
ln -sfn "$root" "$modules/$name" || try_later "cannot switch to $name $to"
echo "$name is $to now"
