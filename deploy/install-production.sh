#!/bin/sh
# Installs what the service needs to run, and nothing else, into the current folder, where package.json,
# package-lock.json and .npmrc lie. One file, so that the image and scripts/image-steps.sh cannot differ.
set -eu

# Optional packages too: @nestjs/swagger names TypeScript as an optional peer, and as we have it for development npm
# would install all 24 MB of it here. The others are colours for a table and a driver for another runtime.
npm ci --omit=dev --omit=optional --no-audit --no-fund

# Source maps and type declarations are half of what is left, and Node reads neither.
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# Copies of the same code for browsers.
rm -rf node_modules/typeorm/browser node_modules/libphonenumber-js/bundle node_modules/class-validator/bundles \
  node_modules/rxjs/dist/bundles
