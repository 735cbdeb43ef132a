#!/bin/sh
# Signs what is on stdin, for modreg … --sign-with: prints the public key and the signature. Here openssl signs with the key in SIGNING_KEY_FILE;
# in its place may be a token, an agent or a key service that signs with Ed25519, so that modreg never sees the key.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/text"
openssl pkeyutl -sign -rawin -inkey "$SIGNING_KEY_FILE" -in "$work/text" -out "$work/signature"
# The last 32 bytes of the DER are the key.
public=$(openssl pkey -in "$SIGNING_KEY_FILE" -pubout -outform DER | tail -c 32 | base64)
echo "ed25519:$public $(base64 -w 0 <"$work/signature")"
