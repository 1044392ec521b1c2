# Parley in a container: docker build -t parley . && docker run -p 9991:9991 -v parley:/data parley
# scripts/image-root.js carries out the same instructions where no container engine is.

FROM node:24-trixie-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run package -- /tmp
WORKDIR /app
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund --no-save /tmp/parley-*.tgz \
  && node node_modules/@parley-chat/server/scripts/prune-modules.js
# The debugging symbols of Node are a fifth of the image.
RUN apt-get update && apt-get install --yes --no-install-recommends binutils \
  && rm -rf /var/lib/apt/lists/* && strip --strip-unneeded --output-file=/node "$(command -v node)"

FROM debian:trixie-slim
LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="A realtime team-chat API server that existing Zulip clients can use unmodified" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /node /usr/local/bin/node
COPY --from=build /app /app
RUN ln -s /app/node_modules/.bin/parley /usr/local/bin/parley \
  && install --directory --owner=10001 --group=10001 --mode=0700 /data
# Only this account, by number, so that platforms can see that it is not root.
USER 10001:10001
# With Redis, what a process keeps for itself lies here too (state-HOST-PORT-DATABASE-ORGANIZATION, or PARLEY_STATE).
WORKDIR /data
# Inside a container everybody who is let in comes from outside.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=32 PARLEY_HOST=0.0.0.0 PARLEY_STORE=embedded:/data
VOLUME ["/data"]
EXPOSE 9991
# Followers are healthy too. A start may load a large organization.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "const { PARLEY_PORT: port = 9991, PARLEY_TLS_CERT: tls } = process.env; process.removeAllListeners('warning'); process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; fetch(`http${tls ? 's' : ''}://127.0.0.1:${port}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Longer than the 9 seconds that a server takes at most to stop: docker stop --time 15.
STOPSIGNAL SIGTERM
ENTRYPOINT ["parley"]
CMD ["serve"]
