# The whole service with simulated clouds, of the file that `npm run pack` writes and nothing else:
#   npm run pack
#   docker build -t keymgr-local .
#   docker run --network host -v keymgr:/data keymgr-local
# It listens on the loopback address only, so it shares the network of the host.
FROM node:24-slim
COPY dist/packages/keymgr-local-*.tgz /tmp/keymgr-local.tgz
RUN npm install --global --offline /tmp/keymgr-local.tgz && rm /tmp/keymgr-local.tgz && install -d -o node /data
USER node
VOLUME /data
ENV KEYMGR_DATA_DIR=/data
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["keymgr-local"]
