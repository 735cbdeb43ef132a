#!/bin/sh
# Shows in a minute what `modreg agent run` does with the machine config and the policy of this folder: demo.sh
#
# Module "esbuild" is a package of the npm registry that was not made for modreg; "lidar" comes from a registry that this script
# serves. Everything is in a temporary folder, which is removed at the end. It uses the ports 4870 and 8000 of 127.0.0.1.
set -eu

examples=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
agent='' registry=''
export PLATFORM_HOME="$folder/home"

modreg() { "$examples/../bin/modreg" "$@"; }
say() { printf '\n# %s\n' "$*"; }
run() {
  printf '$ %s\n' "$*"
  "$@"
}

end() {
  trap - EXIT
  for process in $agent $registry; do kill "$process" 2>/dev/null && wait "$process" || true; done
  rm -rf "$folder"
}
trap end EXIT
trap 'exit 130' INT TERM

# Prints what the agent says until it says "$1" about "$2".
until_agent_says() {
  deadline=$(($(date +%s) + 90))
  until tail -n "+$next" agent.log | grep "$2" | grep -q "$1"; do
    if [ "$(date +%s)" -gt "$deadline" ] || ! kill -0 "$agent"; then
      tail -n "+$next" agent.log
      echo "the agent did not say \"$1\" about $2 within 90 s" >&2
      exit 1
    fi
    sleep 0.2
  done
  tail -n "+$next" agent.log | sed 's/^/    /'
  next=$(($(wc -l <agent.log) + 1))
}

start_agent() {
  echo '$ modreg agent run machine.json --interval 5s &'
  "$examples/../bin/modreg" agent run machine.json --interval 5s >>agent.log 2>&1 &
  agent=$!
}

cd "$folder"
chmod 755 .
mkdir home
cp "$examples/agent/machine.json" "$examples/agent/policy.json" .
# npm may be configured to use a mirror, or to trust a certificate authority.
npm=$(npm config get registry)
authorities=$(npm config get cafile)
[ "$authorities" = null ] || export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-$authorities}"
sed -i "s|https://registry.npmjs.org|${npm%/}|" policy.json
case $npm in http:*)
  host=${npm#http://}
  sed -i "s|^{|{\n  \"allow_http\": [\"${host%%/*}\"],|" policy.json
  ;;
esac
case $(uname -m) in aarch64) sed -i 's/linux-x64/linux-arm64/' machine.json ;; esac
if [ "$(id -u)" = 0 ] && ! id modreg-modules >/dev/null 2>&1; then
  # modreg runs no module as root, unless a policy says so.
  sed -i 's/"restart_cooldown"/"run_as": "nobody",\n  &/' policy.json
fi
touch agent.log
next=1

say 'A registry with a first release of a module.'
run tar czf lidar-1.0.0.tgz -C "$examples/module" .
run modreg registry publish acme:lidar 1.0.0 --upload lidar-1.0.0.tgz --create
echo '$ modreg registry serve &'
"$examples/../bin/modreg" registry serve >registry.log 2>&1 &
registry=$!

say 'The agent installs what the machine config names: lidar, and esbuild from the npm registry.'
start_agent
until_agent_says 'done' esbuild
until_agent_says 'done' lidar
run modreg agent status

say 'A release that does not work is published. The agent rolls it back.'
cp -R "$examples/module" broken
printf '#!/bin/sh\necho "no lidar at /dev/ttyUSB7" >&2\nexit 1\n' >broken/bin/lidar
run tar czf lidar-1.1.0.tgz -C broken .
run modreg registry publish acme:lidar 1.1.0 --upload lidar-1.1.0.tgz
until_agent_says 'is in quarantine' lidar
run modreg why acme:lidar

say 'The machine config may now select newer releases of esbuild.'
run sed -i 's/"0.25.0"/"0.25.*"/' machine.json
until_agent_says 'done' esbuild

say 'An operator restarts a module.'
run modreg restart esbuild --now
until_agent_says 'done' esbuild

say 'The agent is killed. Its modules end with it, and the next agent starts them again.'
run kill -KILL "$agent"
wait "$agent" || true
start_agent
until_agent_says 'runs' lidar
run modreg agent status
run modreg agent logs lidar --lines 5

say 'The agent is stopped, and everything is removed.'
