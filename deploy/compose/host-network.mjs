/**
 * Writes a docker-compose.yml for machines where containers cannot have their own networks: all services use the host's network, each on its own port
 * of 127.0.0.1. `node deploy/compose/host-network.mjs FOLDER`, then
 * `podman-compose --podman-path FOLDER/podman -f FOLDER/docker-compose.yml up --detach`.
 * For testing docker-compose.yml (docs/operate.md, "Compose"), not for operation. Grafana is left out.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const out = resolve(process.argv[2] ?? '.perch/compose');
const redis = '127.0.0.1:16379';
/** Ports of the instances: the public one, or 0, and that of the admin server. */
const ports = {
  'gateway-1': [18081, 19461],
  'gateway-2': [18082, 19462],
  'robot-link-1': [18083, 19463],
  'robot-link-2': [18084, 19464],
  'renderer-1': [0, 19465],
  'renderer-2': [0, 19466],
  'webhooks-1': [0, 19467],
  'webhooks-2': [0, 19468],
};

const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
// Both instances of a service share one object in the parsed file.
const services = Object.fromEntries(
  Object.entries(compose.services)
    .filter(([name]) => name !== 'grafana')
    .map(([name, service]) => [name, structuredClone(service)]),
);
for (const [name, service] of Object.entries(services)) onHostNetwork(name, service);
services.secrets.environment.REDIS_ADDRESS = redis;
services.redis.command.push('--port', redis.split(':')[1], '--bind', '127.0.0.1');
services['redis-exporter'].environment.REDIS_ADDR = `redis://${redis}`;
services['redis-exporter'].environment.REDIS_EXPORTER_WEB_LISTEN_ADDRESS = '127.0.0.1:9121';
services.prometheus.command = services.prometheus.command.map((option) => option.replace('prometheus-web:', '127.0.0.1:'));
services.alertmanager.command.push('--web.listen-address=127.0.0.1:9093');
services.redis.healthcheck.test[1] = services.redis.healthcheck.test[1].replace('redis-cli', `redis-cli -p ${redis.split(':')[1]}`);

mkdirSync(join(out, 'prometheus'), { recursive: true });
writeFileSync(join(out, 'docker-compose.yml'), stringify({ name: compose.name, services, volumes: compose.volumes }, { version: '1.1' }));
writeFileSync(
  join(out, 'prometheus/prometheus.yml'),
  readFileSync(join(root, 'deploy/prometheus/prometheus.yml'), 'utf8').replace(/[\w-]+:\d{4}\b/g, onLoopback),
);

// podman-compose 1.0 adds every container to a network that it creates, beside the one of `network_mode`, which podman rejects.
const podman = `#!/bin/sh
skip=0
for argument do
  shift
  if [ $skip = 1 ]; then skip=0; continue; fi
  case $argument in --net | --network-alias) skip=1 ;; *) set -- "$@" "$argument" ;; esac
done
exec podman "$@"
`;
writeFileSync(join(out, 'podman'), podman, { mode: 0o755 });

function onHostNetwork(name, service) {
  delete service.networks;
  delete service.ports;
  // The machine's limit on open files may be lower.
  delete service.ulimits;
  service.network_mode = 'host';
  service.environment ??= {};
  if (service.build !== undefined) service.build.context = root;
  service.volumes = service.volumes?.map((volume) => {
    const [source, ...rest] = volume.split(':');
    if (!source.startsWith('.')) return volume;
    return [name === 'prometheus' ? join(out, 'prometheus') : join(root, source), ...rest].join(':');
  });
  if (name === 'haproxy') Object.assign(service.environment, haproxyEnvironment());
  if (ports[name] === undefined) return;
  const [port, adminPort] = ports[name];
  Object.assign(service.environment, { PERCH_ADMIN_HOST: '127.0.0.1', PERCH_ADMIN_PORT: String(adminPort) });
  if (name.startsWith('gateway')) Object.assign(service.environment, { PERCH_GATEWAY_HOST: '127.0.0.1', PERCH_GATEWAY_PORT: String(port) });
  if (name.startsWith('robot-link')) Object.assign(service.environment, { PERCH_LINK_HOST: '127.0.0.1', PERCH_LINK_PORT: String(port) });
}

function haproxyEnvironment() {
  const servers = Object.entries(ports).filter(([, [port]]) => port !== 0);
  const addresses = servers.flatMap(([name, [port, adminPort]]) => {
    const variable = name.toUpperCase().replaceAll('-', '_');
    return [
      [variable, `127.0.0.1:${port}`],
      [`${variable}_ADMIN_PORT`, String(adminPort)],
    ];
  });
  return { BIND_HOST: '127.0.0.1', METRICS_HOST: '127.0.0.1', ...Object.fromEntries(addresses) };
}

function onLoopback(target) {
  const [host, port] = target.split(':');
  return `127.0.0.1:${ports[host]?.[1] ?? port}`;
}
