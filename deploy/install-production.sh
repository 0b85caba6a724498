#!/bin/sh
# Installs only what the service needs to run into the current folder, which holds package.json, package-lock.json,
# .npmrc and the package.json of packages/pglite-server and packages/rate-limiter. One file, so that the image and scripts/image-steps.sh cannot differ.
set -eu

# Optional packages are left out too: the Node of npm scripts (the image has its own), TypeScript (24 MB, an optional peer of
# @nestjs/swagger), colours for a table and a driver for another runtime. No package needs an install script.
npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# Source maps and type declarations are half of the rest, and Node reads neither.
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# Tests, and copies of the same code for browsers and for the module system that the importing package does not use.
rm -rf node_modules/bintrees/test node_modules/typeorm/browser node_modules/class-validator/bundles node_modules/class-validator/esm* \
  node_modules/rxjs/dist/bundles node_modules/rxjs/dist/esm* node_modules/rxjs/src node_modules/libphonenumber-js/bundle \
  node_modules/libphonenumber-js/es6* node_modules/libphonenumber-js/source node_modules/es-toolkit/compat
find node_modules/es-toolkit/dist -name '*.js' -delete
