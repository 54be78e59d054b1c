import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentedSettings, needsHaproxy, needsPromtool, ruleGroups, skipTest, type RecordingRule } from '@perch/testkit';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const text = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Service {
  image: string;
  build?: { target: string; secrets: string[]; args: Record<string, string> };
  pull_policy?: string;
  environment?: Record<string, string | null>;
  volumes?: string[];
  networks?: string[] | Record<string, { aliases?: string[] }>;
  profiles?: string[];
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  restart?: string;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }> | string[];
  logging?: { driver: string; options: Record<string, string> };
  deploy?: { resources: { limits: { memory: string; cpus?: string } } };
}

interface Compose {
  secrets: Record<string, { file: string }>;
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, null>;
}

const kinds = ['gateway', 'robot-link', 'renderer', 'webhooks'] as const;

describe('docker-compose.yml', () => {
  const { services, networks, volumes, secrets } = parse(text('docker-compose.yml'), { merge: true }) as Compose;
  const instances = kinds.flatMap((kind) => [1, 2].map((number) => ({ kind, name: `${kind}-${number}`, service: services[`${kind}-${number}`]! })));
  const networksOf = ({ networks: on = [] }: Service): string[] => (Array.isArray(on) ? on : Object.keys(on));
  const namesOn = (network: string): string[] => Object.keys(services).filter((name) => networksOf(services[name]!).includes(network));
  const checked = { 'check-env': { condition: 'service_completed_successfully' } };
  const seconds = (duration: string): number => Number(/^(\d+)s$/.exec(duration)![1]);

  it('runs two instances of each service from one image, which only the first builds, from its own target of deploy/Dockerfile', () => {
    const targets = [...text('deploy/Dockerfile').matchAll(/^FROM \S+ AS ([\w-]+)$/gm)].map(([, name]) => name);
    for (const { kind, name, service } of instances) {
      assert.equal(service.build?.target, name.endsWith('-1') ? kind : undefined, name);
      assert.equal(service.image, services[`${kind}-1`]!.image);
      assert.ok(targets.includes(kind), kind);
    }
    const built = Object.values(services).filter(({ build }) => build !== undefined);
    assert.equal(built.length, kinds.length + 3, 'the services, mqtt-bridge, probe and perch');
  });

  it('builds each image with the secrets that deploy/Dockerfile mounts, empty unless a variable names a file, and labels it with the revision', () => {
    const mounted = [...text('deploy/Dockerfile').matchAll(/--mount=type=secret,id=(\w+)/g)].map(([, id]) => id!);
    assert.deepEqual(Object.keys(secrets).toSorted(), [...new Set(mounted)].toSorted());
    for (const { file } of Object.values(secrets)) assert.match(file, /^\$\{PERCH_BUILD_\w+:-\/dev\/null\}$/);
    for (const { build } of Object.values(services)) {
      if (build === undefined) continue;
      assert.deepEqual(build.secrets.toSorted(), Object.keys(secrets).toSorted(), build.target);
      assert.deepEqual(build.args, { REVISION: '${PERCH_BUILD_REVISION:-unknown}' }, build.target);
    }
  });

  it('runs mqtt-bridge, the probe and perch only where their profile is named', () => {
    const profiles = Object.entries(services).flatMap(([name, { profiles: named }]) => (named === undefined ? [] : [`${name}: ${named.join(', ')}`]));
    assert.deepEqual(profiles, ['perch: tools', 'mqtt-bridge: home-assistant', 'probe: probe']);
  });

  it('sets only settings that the service knows', () => {
    const clients = ['mqtt-bridge', 'probe'].map((name) => ({ kind: name, name, service: services[name]! }));
    for (const { kind, name, service } of [...instances, ...clients]) {
      const known = documentedSettings(kind).flatMap(({ env, description }) =>
        description.includes(`${env}_FILE can name`) ? [env, `${env}_FILE`] : [env],
      );
      assert.deepEqual(
        Object.keys(service.environment ?? {}).filter((env) => !known.includes(env)),
        [],
        name,
      );
    }
  });

  it('gives every instance a stop grace period that exceeds its drain', () => {
    for (const { kind, name, service } of instances) {
      const setting = (env: string): number =>
        Number(
          service.environment?.[env] ??
            documentedSettings(kind)
              .find((one) => one.env === env)!
              .default.replace(' ms', ''),
        );
      const drainsMs = setting('PERCH_DRAIN_DELAY_MS') + setting('PERCH_DRAIN_MS');
      assert.ok(seconds(service.stop_grace_period!) * 1000 >= drainsMs + 10_000, name);
    }
    assert.ok(seconds(services['haproxy']!.stop_grace_period!) >= Number(/hard-stop-after (\d+)s/.exec(text('deploy/haproxy/perch.cfg'))![1]));
  });

  it('gives the instances behind HAProxy a drain delay that exceeds the time its health checks need to notice', () => {
    for (const { kind, service } of instances.filter(({ kind }) => kind === 'gateway' || kind === 'robot-link')) {
      assert.equal(service.environment?.['PERCH_DRAIN_DELAY_MS'], '5000', kind);
      assert.match(service.environment?.['PERCH_TRUST_PROXY'] ?? '', /:-1\}$/);
    }
  });

  it('runs all containers read-only, without capabilities and new privileges, and sets restart and memory limit of long-running ones', () => {
    for (const [name, service] of Object.entries(services)) {
      assert.deepEqual([service.read_only, service.cap_drop, service.security_opt], [true, ['ALL'], ['no-new-privileges:true']], name);
      if (['check-env', 'secrets', 'perch'].includes(name)) continue;
      assert.equal(service.restart, 'unless-stopped', name);
      assert.ok(service.deploy?.resources.limits.memory !== undefined, name);
    }
    for (const { name, service } of instances) {
      assert.deepEqual(service.healthcheck?.test, ['CMD', 'node', '/perch/healthcheck.mjs', 'readyz'], name);
      assert.deepEqual(service.depends_on, { ...checked, redis: { condition: 'service_healthy' } }, name);
    }
  });

  it('starts no container before the names in .env are checked, by one without network that may only read', () => {
    for (const [name, { depends_on: first }] of Object.entries(services))
      if (name !== 'check-env') assert.deepEqual({ ...(first as object), ...checked }, first, name);
    const {
      environment,
      volumes: mounted,
      ...check
    } = services['check-env'] as Service & { network_mode: string; cap_add: string[]; entrypoint: string[] };
    assert.deepEqual([check.network_mode, check.depends_on, check.cap_add], ['none', undefined, ['DAC_OVERRIDE']]);
    assert.deepEqual(check.entrypoint, ['sh', '/project/deploy/compose/check-env.sh']);
    // Nothing of it changes with .env: Compose would recreate it, and stop before everything that depends on it.
    assert.deepEqual([environment, mounted], [{ COMPOSE_ENV_FILES: '${COMPOSE_ENV_FILES:-.env}' }, ['./:/project:ro']]);
  });

  it('pins every image that it does not build to a version', () => {
    const built = new Set(Object.values(services).flatMap(({ image, build }) => (build === undefined ? [] : [image])));
    for (const [name, { image }] of Object.entries(services)) if (!built.has(image)) assert.match(image, /:v?\d+\.\d+\.\d+/, name);
  });

  it('runs Redis with an append-only file, without eviction, with the users of deploy/redis/users.acl, on an internal network', () => {
    const { command } = services['redis'] as Service & { command: string[] };
    const option = (name: string): string | undefined => command[command.indexOf(name) + 1];
    assert.deepEqual(
      ['--appendonly', '--maxmemory-policy', '--aclfile'].map((name) => option(name)),
      ['yes', 'noeviction', '/run/redis/users.acl'],
    );
    for (const network of networksOf(services['redis']!)) assert.equal(networks[network]?.internal, true, network);
  });

  it('limits the processors of no container, since Docker refuses a limit above what the machine has', () => {
    for (const [name, { deploy }] of Object.entries(services)) assert.equal(deploy?.resources.limits.cpus, undefined, name);
  });

  it('gives all robot-links and gateways, and no other service, the folder with signed robot programs, of which a setting names one', () => {
    for (const { kind, name, service } of instances) {
      const hasProgram = kind === 'gateway' || kind === 'robot-link';
      assert.equal(service.volumes!.includes('./deploy/robot-program:/robot-program:ro'), hasProgram, name);
      assert.equal('PERCH_ROBOT_PROGRAM' in service.environment!, hasProgram, name);
    }
    assert.match(text('.env.example'), /^#PERCH_ROBOT_PROGRAM=\/robot-program\/.+\.json$/m);
    assert.match(text('.gitignore'), /^deploy\/robot-program\/\*\.json$/m);
  });

  it('rotates the log of every container', () => {
    for (const [name, { logging }] of Object.entries(services))
      assert.deepEqual(logging, { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } }, name);
  });

  it('stops HAProxy for no other service, and HAProxy by the signal on which deploy/compose/haproxy.sh lets calls end', () => {
    const haproxy = services['haproxy'] as Service & { entrypoint: string[]; stop_signal: string };
    const neighbours = Object.keys(haproxy.depends_on ?? {}).filter((name) => services[name]!.restart !== undefined);
    assert.deepEqual(neighbours, [], 'Compose stops what depends on a service before it recreates the service');
    assert.deepEqual([haproxy.entrypoint, haproxy.stop_signal], [['sh', '/haproxy.sh'], 'SIGUSR1']);
    assert.equal(haproxy.environment!['ADMIN_SOCKET'], 'ipv4@127.0.0.1:9999', 'the address in haproxy.sh');
  });

  it('lets webhooks reach Redis, the outside and no other service, and nothing that Prometheus scrapes the API of Prometheus', () => {
    const mayReach = { outside: [], 'webhooks-storage': ['redis'], 'webhooks-metrics': ['prometheus'] };
    for (const name of ['webhooks-1', 'webhooks-2']) assert.deepEqual(networksOf(services[name]!), Object.keys(mayReach));
    for (const [network, names] of Object.entries(mayReach))
      assert.deepEqual(
        namesOn(network).filter((name) => !name.startsWith('webhooks-')),
        names,
        network,
      );
    const { command, networks: on } = services['prometheus'] as Service & { command: string[] };
    assert.deepEqual(
      command.filter((option) => option.startsWith('--web.listen-address=')),
      ['--web.listen-address=prometheus-web:9090'],
    );
    assert.deepEqual(on, { metrics: {}, 'webhooks-metrics': {}, operators: { aliases: ['prometheus-web'] } });
    assert.deepEqual(namesOn('operators'), ['prometheus', 'alertmanager', 'grafana']);
  });

  it('puts robot-links, renderers, Redis, redis_exporter and perch only on internal networks', () => {
    const inside = Object.entries(services).filter(([name]) => /^(?:robot-link-|renderer-|redis|perch$|secrets$)/.test(name));
    assert.equal(inside.length, 8);
    for (const [name, service] of inside)
      for (const network of networksOf(service)) assert.equal(networks[network]?.internal, true, `${name}: ${network}`);
  });

  it('publishes ports to other machines only for HAProxy, in the short form, which refuses what is no address', () => {
    for (const [name, { ports = [] }] of Object.entries(services))
      for (const port of ports) assert.match(port, name === 'haproxy' ? /^\$\{PERCH_BIND:-127\.0\.0\.1\}:/ : /^127\.0\.0\.1:/, name);
  });

  it('never pulls an image that it builds unless PERCH_PULL_POLICY is set, because the name on Docker Hub may belong to others', () => {
    const built = Object.entries(services).filter(([, { build }]) => build !== undefined);
    for (const [name, { pull_policy: policy }] of built) assert.equal(policy, '${PERCH_PULL_POLICY:-never}', name);
  });

  it('requires no variables, and lists all optional ones in .env.example', () => {
    const used = [...text('docker-compose.yml').matchAll(/(?<!\$)\$\{(\w+)([^}]*)\}/g)];
    // podman-compose 1.0 does not expand an empty default: such variables have a key without a value instead.
    for (const [whole, , rest] of used) assert.match(rest!, /^:-./, `${whole} has no default`);
    const passed = Object.values(services).flatMap(({ environment = {} }) => Object.keys(environment).filter((name) => environment[name] === null));
    const listed = [...text('.env.example').matchAll(/^#(\w+)=/gm)].map(([, name]) => name);
    const names = new Set([...used.map(([, name]) => name!), ...passed]);
    // A variable of Compose itself.
    names.delete('COMPOSE_ENV_FILES');
    assert.deepEqual([...names].toSorted(), listed.toSorted());
  });

  it('mounts only existing files and folders of the repository and declared volumes', () => {
    for (const [name, service] of Object.entries(services)) {
      for (const source of (service.volumes ?? []).map((volume) => volume.split(':')[0]!)) {
        const isThere = source.startsWith('./') ? existsSync(join(root, source)) : source in volumes;
        assert.ok(isThere, `${name}: ${source}`);
      }
      for (const network of networksOf(service)) assert.ok(network in networks, `${name}: ${network}`);
    }
  });

  it('serves the metrics of HAProxy to Prometheus without publishing them, and only on 127.0.0.1 if perch.cfg is used alone', () => {
    assert.match(text('deploy/haproxy/perch.cfg'), /^ {2}presetenv METRICS_HOST 127\.0\.0\.1$/m);
    const { environment, ports } = services['haproxy']!;
    assert.equal(environment?.['METRICS_HOST'], '*');
    assert.doesNotMatch(ports!.join(), /8404/);
  });

  it('names the instances as the configurations of HAProxy and Prometheus do, and the rules expect as many', () => {
    const configuration = text('deploy/haproxy/perch.cfg');
    const prometheus = parse(text('deploy/prometheus/prometheus.yml')) as {
      scrape_configs: { job_name: string; metrics_path?: string; static_configs: { labels?: { component: string }; targets: string[] }[] }[];
    };
    const job = (name: string) => prometheus.scrape_configs.find(({ job_name }) => job_name === name)!;
    const targets = (name: string): string[] => job(name).static_configs.flatMap((group) => group.targets);
    const byComponent = (name: string) =>
      job(name).static_configs.flatMap(({ labels, targets }) => targets.map((target) => [labels?.component, target]));
    const expected = instances.map(({ kind, name }) => [kind, `${name}:9464`]);
    assert.deepEqual(byComponent('perch'), expected);
    assert.deepEqual(
      byComponent('perch-robots'),
      expected.filter(([kind]) => kind === 'robot-link'),
    );
    assert.equal(job('perch-robots').metrics_path, '/metrics/robots');
    // deploy/prometheus/rules/expected.yml
    const counts = new Map<string, number>();
    for (const { kind } of instances) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const rules = ruleGroups()
      .get('expected.yml')!
      .flatMap((group) => group.rules) as RecordingRule[];
    assert.deepEqual(
      rules.map(({ record, expr, labels }) => [record, labels!['component'], expr]),
      [...counts].map(([kind, count]) => ['perch:instances_expected', kind, `vector(${count})`]),
    );
    const presets = [...configuration.matchAll(/^ {2}presetenv (?:GATEWAY|ROBOT_LINK)_\d (\S+)$/gm)].map(([, address]) => address);
    assert.deepEqual(presets, ['gateway-1:8080', 'gateway-2:8080', 'robot-link-1:8081', 'robot-link-2:8081']);
    const others = ['haproxy', 'redis', 'alertmanager'].flatMap((job) => targets(job).map((target) => target.split(':')[0]!));
    for (const other of others) assert.ok(other in services, other);
  });

  it('parses with podman-compose, with every service', function () {
    if (spawnSync('podman-compose', ['--help']).status !== 0) skipTest(this, 'podman-compose is needed, and is not on PATH');
    // A dry run of `up` would create the volumes; one of `down` only prints.
    const { status, stdout, stderr } = spawnSync('podman-compose', ['--dry-run', 'down'], { cwd: root, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    for (const name of Object.keys(services)) assert.match(stdout + stderr, new RegExp(`_${name}_1\\b`));
  });

  it('gives Prometheus and Alertmanager configurations that promtool and amtool accept', function () {
    needsPromtool(this);
    const prometheus = spawnSync('promtool', ['check', 'config', join(root, 'deploy/prometheus/prometheus.yml')], { encoding: 'utf8' });
    assert.equal(prometheus.status, 0, prometheus.stdout + prometheus.stderr);
    if (spawnSync('amtool', ['--version']).status !== 0) return;
    const alertmanager = spawnSync('amtool', ['check-config', join(root, 'deploy/alertmanager/alertmanager.yml')], { encoding: 'utf8' });
    assert.equal(alertmanager.status, 0, alertmanager.stdout + alertmanager.stderr);
  });
});

describe('deploy/haproxy/perch.cfg', () => {
  const configuration = text('deploy/haproxy/perch.cfg');

  it('passes the check of HAProxy without warnings other than names that do not resolve here', function () {
    const binary = needsHaproxy(this);
    const here = { GATEWAY_1: '127.0.0.1:1', GATEWAY_2: '127.0.0.1:2', ROBOT_LINK_1: '127.0.0.1:3', ROBOT_LINK_2: '127.0.0.1:4' };
    const { status, stdout, stderr } = spawnSync(binary, ['-c', '-f', join(root, 'deploy/haproxy/perch.cfg')], {
      env: { ...process.env, ...here },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /WARNING|ALERT/);
  });

  it('waits 140 s for an answer, longer than any call takes, and never retries a call', () => {
    for (const line of ['timeout client 140s', 'timeout server 140s', 'retries 0', 'no option redispatch', 'option abortonclose'])
      assert.match(configuration, new RegExp(`^ {2}${line}$`, 'm'));
  });

  it('stops sending calls to an instance that is not ready within 4.5 s', () => {
    const [, interMs, fastMs] = /inter (\d)s fastinter (\d+)ms .* fall 2 /.exec(configuration)!.map(Number);
    const checkMs = Number(/timeout check (\d+)ms/.exec(configuration)![1]);
    // Worst case: the whole interval, a slow check, the short interval and a second slow check.
    assert.ok(interMs! * 1000 + checkMs + fastMs! + checkMs <= 4500);
  });

  it('keeps a server whose name does not resolve for a moment under its health checks, and begins one that resolves at last as down', () => {
    assert.match(configuration, /^ {2}hold nx 30s$/m);
    assert.match(configuration, /^\.if version_atleast\(3\.1\.0\)\n {2}default-server init-state down\n\.endif$/m);
  });

  it('answers requests that HAProxy cannot parse with the JSON of an error', () => {
    for (const code of [400, 408]) {
      const [head, body] = text(`deploy/haproxy/errors/${code}.http`).split('\n\n') as [string, string];
      assert.equal(Number(/^Content-Length: (\d+)$/m.exec(head)![1]), Buffer.byteLength(body));
      assert.deepEqual(Object.keys(JSON.parse(body)), ['ok', 'error', 'code', 'request_id']);
    }
  });
});
