/** How often a release that has not shown yet that it works is started, before the launcher goes back. */
const MOST_STARTS = 3;

/**
 * The program that a service manager starts: a script for any POSIX shell. It starts the release of the agent that was
 * installed last, or the program before it if that release did not stay up (A21).
 */
export const LAUNCHER: string = `#!/bin/sh
# Starts the agent: the release that it installed last, or the program before it if that release did not stay up in
# ${MOST_STARTS} starts. modreg agent install-unit writes this file, and modreg agent uninstall-unit removes it.
folder=\${0%/*}
current=$folder/current
previous=$folder/previous
first=$folder/first
unconfirmed=$folder/unconfirmed

# write <file> <line>...: the file has all lines, or stays as it is.
write() {
  file=$1
  shift
  printf '%s\\n' "$@" >"$file.new" && mv -f "$file.new" "$file"
}

is_other() { [ "$(readlink -f "$1")" != "$(readlink -f "$current")" ]; }

# fall_back <reason>: what is started instead is also started next time. The agent reports the failure.
fall_back() {
  echo "the installed release of the agent is not started: $1" >&2
  write "$folder/failed" "$(readlink "$current")" "$1"
  if [ -x "$previous" ] && is_other "$previous"; then
    program=$(readlink -f "$previous")
    # In this order, an interruption counts no start of the program before. The link is removed first, as it may be one to a folder.
    rm -f "$current"
    rm -f "$unconfirmed"
    mv -f "$previous" "$current"
  else
    program=$first
    rm -f "$current"
  fi
  rm -f "$unconfirmed"
}

program=$first
if [ -L "$current" ]; then
  program=$current
  if [ ! -f "$current" ] || [ ! -x "$current" ]; then
    fall_back 'its program is missing'
  elif [ -e "$unconfirmed" ]; then
    read -r starts <"$unconfirmed"
    case $starts in [0-9] | [0-9][0-9]) ;; *) starts=0 ;; esac
    if [ "$starts" -ge ${MOST_STARTS} ]; then
      fall_back "it was started $starts times, and never stayed up"
    else
      write "$unconfirmed" "$((starts + 1))"
    fi
  fi
fi
if [ ! -x "$program" ]; then
  echo "there is no agent to start: $program is missing; modreg agent install-unit writes it" >&2
  exit 69
fi
MODREG_LAUNCHED=$(readlink -f "$program")
export MODREG_LAUNCHED
exec "$program" "$@"
`;
