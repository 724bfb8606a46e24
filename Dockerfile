# syntax=docker/dockerfile:1

# One image, every role: the command's first word says which (serve, work, console, migrate, start).
# Build:  docker build -t forestall .
# (A project that has the npm package makes its own: forestall add deployment/image.)
# Run:    docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#           -e DATABASE_URL=… -p 8080:8080 forestall serve
#
# A second one with the sandbox alone, for programs in any language:
# Build:  docker build --target sandbox -t forestall-sandbox .
# Run:    docker run -p 127.0.0.1:8082:8082 forestall-sandbox --webhooks http://shop:8080/webhooks

# The base. To build on the same one next year, name it by its digest: --build-arg NODE_IMAGE=node@sha256:…, which
# docker buildx imagetools inspect node:24.21.0-bookworm-slim --format '{{.Manifest.Digest}}'   prints.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No install script is needed here: the image brings its own Node and uses no embedded database.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY src ./src
RUN node node_modules/typescript/bin/tsc -p src/tsconfig.json && node src/copy-data-files.ts && node src/write-commonjs.ts

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts && npm cache clean --force

FROM ${NODE_IMAGE} AS runtime
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY package.json LICENSE ./
COPY migrations ./migrations
COPY templates ./templates
# A processor or a policy mounted anywhere in the container imports the package by its name.
RUN mkdir /node_modules && ln -s /app /node_modules/forestall
# Asks whether a role is alive, in milliseconds: a program of Node's would take 0.7 s and 145 MB each time.
# Argument: the port; serve's by default. Behind FORESTALL_TLS_CERT the port speaks TLS, which a shell cannot.
COPY --chmod=755 <<'SCRIPT' /usr/local/bin/forestall-alive
#!/bin/bash
if [[ $# -eq 0 && -n $FORESTALL_TLS_CERT$FORESTALL_TLS_CERT_FILE ]]; then exec node /app/dist/people/cli/main.js health; fi
exec 3<>"/dev/tcp/127.0.0.1/${1:-${PORT:-8080}}" || exit 1
printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "${2:-/healthz}" >&3
read -r -t 2 _ status _ <&3 && [[ $status == 200 ]]
SCRIPT
# The image's own unprivileged user; nothing under /app is writable to it.
USER node

# Everything is in memory: no volume, no setting, and whoever reaches the port holds every key.
FROM runtime AS sandbox
EXPOSE 8082
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 \
  CMD ["forestall-alive", "8082", "/sandbox/clock"]
# What is given after the image's name is added: --clock, --seed-file, --webhooks and the others.
ENTRYPOINT ["node", "dist/people/cli/main.js", "sandbox", "--host", "0.0.0.0", "--port", "8082"]

# The last stage is what is built when no target is named.
FROM runtime
EXPOSE 8080
# Alive, not ready: a database that is away must not restart the container. It asks serve; work and console have the private
# port only: docker run --health-cmd 'forestall-alive 8083' … work
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["forestall-alive"]
# SIGTERM drains: claims are finished or released within 20 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/people/cli/main.js"]
CMD ["serve"]
