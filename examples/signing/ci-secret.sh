#!/bin/sh
# A job of a pipeline: publishes a file and signs it with the key in a secret of the pipeline. Names the registry and its token:
#   MODREG_REGISTRY=https://registry.example MODREG_TOKEN=… MODREG_SIGNING_KEY="$SECRET" sh ci-secret.sh acme:lidar 1.4.0 lidar.tar.gz
# A key with a passphrase needs MODREG_KEY_PASSPHRASE, another secret.
set -eu
modreg registry publish "$1" "$2" --upload "$3" --registry "$MODREG_REGISTRY"
