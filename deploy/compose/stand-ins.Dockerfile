# Images that stand in for those of a registry that cannot be reached, made by `npm run docker -- --stand-ins` (deploy/compose/check.mjs) from a root
# filesystem of Debian trixie. Users, folders and entry points are those of the images that they stand in for. Its context has npm's packages of Node.js
# and npm.
FROM perch-stand-in/debian:trixie AS debian

FROM debian AS unpacked
ADD node-*.tgz /node
ADD npm-*.tgz /npm

# node:24-slim
FROM debian AS node
COPY --from=unpacked /node/package/bin/node /usr/local/bin/node
COPY --from=unpacked /npm/package /usr/local/lib/node_modules/npm
RUN for name in npm npx; do ln -s "../lib/node_modules/npm/bin/$name-cli.js" "/usr/local/bin/$name"; done
CMD ["node"]

FROM debian AS packages
RUN apt-get update && apt-get install --yes --no-install-recommends busybox haproxy prometheus prometheus-alertmanager prometheus-redis-exporter redis-server \
    && rm -rf /var/lib/apt/lists

# redis:8.2.1-alpine
FROM packages AS redis
RUN mkdir /data && chown 999:1000 /data
VOLUME /data
WORKDIR /data
CMD ["redis-server"]

# haproxy:3.2.4-alpine, whose wget and nc are those of busybox
FROM packages AS haproxy
RUN for name in wget nc; do ln -sf /bin/busybox "/usr/local/bin/$name"; done
USER 99:99
STOPSIGNAL SIGUSR1
CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]

# prom/prometheus:v3.5.0
FROM packages AS prometheus
RUN mkdir /prometheus && chown nobody:nogroup /prometheus
USER nobody
WORKDIR /prometheus
ENTRYPOINT ["prometheus"]

# prom/alertmanager:v0.28.1
FROM packages AS alertmanager
RUN mkdir /alertmanager && chown nobody:nogroup /alertmanager
USER nobody
WORKDIR /alertmanager
ENTRYPOINT ["prometheus-alertmanager"]

# oliver006/redis_exporter:v1.74.0
FROM packages AS redis-exporter
USER 59000:59000
ENTRYPOINT ["prometheus-redis-exporter"]

# grafana/grafana:12.1.0 is in none of these places: a page that says so is served in its place.
FROM node AS grafana
USER 472:0
ENTRYPOINT ["node", "--eval", "require('node:http').createServer((_, response) => response.end('a stand-in: this is not Grafana\\n')).listen(3000)"]
