#!/bin/sh
# Receives what `modreg registry serve --notify` tells, as a CGI program behind a web server. It accepts what has the signature of the
# secret in MODREG_NOTIFY_SECRET and is at most five minutes old, and adds each notice once to the file that MODREG_NOTICES names.
# Users of this computer can see the secret in the list of processes while openssl runs.
set -eu

answer() {
  printf 'Status: %s\r\nContent-Type: text/plain\r\n\r\n%s\n' "$1" "$2"
  exit 0
}

body=$(mktemp)
trap 'rm -f "$body"' EXIT
head -c 65536 >"$body"

timestamp=${HTTP_MODREG_NOTICE_TIMESTAMP:-}
case $timestamp in
  '' | 0* | *[!0-9]* | ???????????????*) answer '400 Bad Request' 'the timestamp is missing, or no time' ;;
esac
age=$(($(date +%s) - timestamp))
if [ "$age" -gt 300 ] || [ "$age" -lt -300 ]; then
  answer '403 Forbidden' 'the timestamp is more than five minutes off'
fi

digest=$({ printf '%s.' "$timestamp" && cat "$body"; } |
  openssl dgst -sha256 -hmac "$MODREG_NOTIFY_SECRET" -r | cut -d ' ' -f 1)
if [ "${HTTP_MODREG_NOTICE_SIGNATURE:-}" != "sha256=$digest" ]; then
  answer '403 Forbidden' 'the signature is not that of the secret'
fi

# A notice can come twice: its id tells.
id=$(sed -n 's/.*"id":"\([0-9a-f-]*\)".*/\1/p' "$body")
if ! grep -qs -e "\"id\":\"$id\"" "$MODREG_NOTICES"; then
  cat "$body" >>"$MODREG_NOTICES"
fi
answer '200 OK' 'received'
