import { createHash } from 'node:crypto';

/**
 * What `GET /install.sh` serves, for any POSIX shell. It names no registry, so that its digest is known before: that of each
 * registry of this version is the same (D176).
 */
export const INSTALL_SCRIPT: string = `#!/bin/sh
# Installs the agent of modreg as the service platform-agent of systemd, or upgrades it:
#   curl -fsS https://registry.example/install.sh | sh -s -- https://registry.example [machine.json]
# The registry may also be in MODREG_REGISTRY. PLATFORM_HOME is /var/lib/modreg by default. PLATFORM_API_KEY_ID,
# PLATFORM_API_KEY and PLATFORM_PART_ID are written to /etc/modreg/credentials.json. It can be run again.
# With MODREG_AGENT_SHA256, only the agent whose package has this sha256 is run. MODREG_TRUST, the digest of the trust document of the
# registry, is written to the policy of the machine.
set -eu

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

fetch() {
  curl --fail --silent --show-error --globoff --proto '=https,http' --connect-timeout 20 --retry 3 "$@"
}

# Whether http:// is followed by exactly a name of this machine, a port if there is one, and a path.
is_loopback() {
  authority=\${1#http://}
  authority=\${authority%%/*}
  case $authority in
    127.0.0.1 | localhost) ;;
    127.0.0.1:*[!0-9]* | localhost:*[!0-9]*) return 1 ;;
    127.0.0.1:?* | localhost:?*) ;;
    *) return 1 ;;
  esac
}

main() {
  registry=\${1:-\${MODREG_REGISTRY:-}}
  machine=\${2:-/etc/modreg/machine.json}
  home=\${PLATFORM_HOME:-/var/lib/modreg}
  # Only the program that writes them gets the credentials.
  key_id=\${PLATFORM_API_KEY_ID:-} key=\${PLATFORM_API_KEY:-} part_id=\${PLATFORM_PART_ID:-}
  unset PLATFORM_API_KEY_ID PLATFORM_API_KEY PLATFORM_PART_ID
  registry=\${registry%/}
  case $machine in /*) ;; *) machine=$PWD/$machine ;; esac
  case $home in /*) ;; *) fail "PLATFORM_HOME is $home, expected an absolute path" ;; esac
  # http://127.0.0.1:80@host is the host after the @ (T286).
  case $registry in
    *[!]A-Za-z0-9.:/_~%[-]*) fail "the address $registry has user info or a character that no registry needs; expected https://host:port/path" ;;
    https://?*) ;;
    http://*) is_loopback "$registry" || fail "the registry $registry has no TLS, so the agent could be replaced on the way; expected https://" ;;
    *) fail 'name the registry: sh install.sh https://registry.example, or MODREG_REGISTRY' ;;
  esac
  [ "$(uname -s)" = Linux ] || fail "this is $(uname -s), and the agent needs Linux"
  case $(uname -m) in
    x86_64 | amd64) platform=linux/amd64 ;;
    aarch64 | arm64) platform=linux/arm64 ;;
    *) fail "the CPU is $(uname -m), and the agent needs x86_64 or aarch64" ;;
  esac
  [ "$(id -u)" = 0 ] || fail 'run it as root, for example with sudo'
  [ -d /run/systemd/system ] || fail 'systemd does not run here; modreg agent run needs no systemd'
  for tool in curl sha256sum tar gzip mktemp readlink; do
    command -v "$tool" >/dev/null || fail "$tool is missing; install it and run this again"
  done
  umask 022

  answer=$(fetch --max-time 60 --max-filesize 1000 "$registry/install/$platform") ||
    fail "$registry has no agent for $platform: publish platform:agent there, with a file for $platform"
  version=\${answer% *}
  sha256=\${answer#* }
  case $version in '' | *[!0-9A-Za-z.+-]*) fail "the answer of $registry is no version: $version" ;; esac
  case $sha256 in *[!0-9a-f]*) fail "the answer of $registry is no sha256: $sha256" ;; esac
  [ \${#sha256} = 64 ] || fail "the answer of $registry is no sha256: $sha256"

  expected=\${MODREG_AGENT_SHA256:-$sha256}
  [ "\${expected#sha256:}" = "$sha256" ] ||
    fail "$registry has agent $version with the sha256 $sha256, and MODREG_AGENT_SHA256 is $expected"

  # Where the agent itself would install it.
  root=$home/packages/platform/agent/$version-$(printf %.12s "$sha256")
  # An agent that runs installs its releases itself, and knows which of them do not work here.
  if [ -z "$key\${MODREG_TRUST:-}" ] && [ -e "$home/agent/running" ] && systemctl --quiet is-active platform-agent; then
    read -r _ running <"$home/agent/running"
    echo "agent $running runs here, and installs its releases itself; modreg agent install-unit changes its registry and config"
    exit 0
  fi
  if [ ! -d "$root" ]; then install_package; fi

  policy=\${machine%/*}/policy.json
  set -- agent install-unit "$machine" --start
  if [ ! -e "$policy" ]; then set -- "$@" --registry "$registry"; fi
  export PLATFORM_HOME="$home"
  unset MODREG_REGISTRY
  if [ -n "$key$key_id" ]; then
    export PLATFORM_API_KEY_ID="$key_id" PLATFORM_API_KEY="$key" PLATFORM_PART_ID="$part_id"
  fi
  "$root/bin/modreg" "$@"
  echo "agent $version is installed"
}

# A package folder that exists is complete: it gets its name when everything in it is on the disk.
install_package() {
  mkdir -p "$home"
  work=$(mktemp -d "$home/install.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' INT TERM HUP
  echo "downloading agent $version for $platform"
  fetch --speed-limit 1024 --speed-time 60 --max-filesize 1073741824 --output "$work/package.tar.gz" \\
    "$registry/v1/artifacts/sha256/$sha256" || fail "the file of agent $version cannot be downloaded"
  echo "$sha256  $work/package.tar.gz" | sha256sum --check --status ||
    fail "the file of agent $version has another sha256 than $registry says"
  mkdir "$work/package"
  tar -xzf "$work/package.tar.gz" --no-same-owner -C "$work/package"
  "$work/package/bin/modreg" version >/dev/null || fail "agent $version does not run on this machine"
  sync
  mkdir -p "\${root%/*}"
  mv "$work/package" "$root"
}

# In the last line, so that nothing happens if this file was cut short.
main "$@"
`;

/** The sha256 of the script, in hexadecimal digits. */
export const INSTALL_SCRIPT_SHA256: string = createHash('sha256')
  .update(INSTALL_SCRIPT)
  .digest('hex');
