/**
 * Alerts with real instances, a real Redis and a real Prometheus: every alert on a cause fires because of its fault and ends with it, and none fires
 * without a fault.
 *
 * The rules are those of deploy/prometheus/rules with shorter times (`shortened-rules.ts`). Faults of slow alerts start early and are checked last.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { environmentOf, startService, type ServiceProcess } from '@perch/launcher';
import {
  alertRules,
  builtRelease,
  freePort,
  needsOpenssl,
  needsPrometheus,
  needsRedisServer,
  redisProcess,
  skipTest,
  TcpProxy,
  testCertificates,
  until,
  type LocalRedis,
} from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { AlertWatch, type ExtraTarget } from '../fixture/telemetry/alert-watch.js';
import { WebhookReceiver } from '../fixture/clients/webhook-receiver.js';
import { TestSystem, type Tenant } from '../fixture/system/test-system.js';

/** Robots on the robot-link that is killed: the alert needs a loss of at least 10. */
const robotCount = 12;
const reconnect = { minMs: 100, maxMs: 500 };
/** Alerts that depend on the speed of the machine. */
const ofSpeed = ['PerchCommandsLate', 'PerchRedisSlow'];

describe('alerts, with a real Prometheus (2 gateways, 2 robot-links, 1 renderer, 1 webhooks)', function () {
  this.timeout(200_000);
  let redis: LocalRedis;
  let proxy: TcpProxy;
  /** Leads robots to a robot-link, as a load balancer does. */
  let robotProxy: TcpProxy;
  let system: TestSystem;
  let watch: AlertWatch;
  let receiver: WebhookReceiver;
  let oldInstance: { target: ExtraTarget; stop(): Promise<unknown> };
  const robots: { tenant: Tenant; id: string; robot: VirtualRobot }[] = [];
  /** Alerts whose faults cannot be caused on this machine. */
  const skipped = new Set<string>();
  const stopsCalling = new AbortController();
  let calls: Promise<void>;

  before(async function () {
    needsRedisServer(this);
    needsPrometheus(this);
    redis = await redisProcess();
    proxy = await TcpProxy.open({ host: '127.0.0.1', port: redis.port });
    receiver = await WebhookReceiver.open();
    system = await TestSystem.open(
      { gateways: 2, links: 2, renderers: 1 },
      {
        redisUrl: `redis://127.0.0.1:${proxy.port}`,
        webhooks: 1,
        env: {
          ...process.env,
          PERCH_LOG_LEVEL: 'error',
          PERCH_GATEWAY_CONNECTIONS: '100',
          PERCH_MEDIA_MB: '8',
          PERCH_WEBHOOK_ALLOW_PRIVATE: 'true',
          PERCH_WEBHOOK_CONCURRENCY: '1',
        },
      },
    );
    robotProxy = await TcpProxy.open(addressOf(system.cluster.links[0]!));
    for (let i = 0; i < robotCount; i++) robots.push(await robotOf(await system.tenant()));
    watch = await AlertWatch.open(system, { rangesBy: 30, forBy: 60 });
    calls = callOnAndOn();
  });
  after(async () => {
    stopsCalling.abort();
    await calls;
    await oldInstance?.stop();
    await watch?.close();
    await redis?.kill('SIGCONT');
    await system?.close();
    await receiver?.close();
    await robotProxy?.close();
    await proxy?.close();
    await redis?.stop();
  });

  async function robotOf(tenant: Tenant): Promise<{ tenant: Tenant; id: string; robot: VirtualRobot }> {
    const { robot: id, token } = await system.store.robots.create({ account: tenant.account });
    const robot = new VirtualRobot({ url: `ws://127.0.0.1:${robotProxy.port}/robot/v1/link`, token, instant: true, reconnect });
    system.keep(robot);
    await robot.start();
    return { tenant, id, robot };
  }

  /** Calls one robot after the other, on both gateways in turn, up to 10 times a second. */
  async function callOnAndOn(): Promise<void> {
    for (let i = 0; !stopsCalling.signal.aborted; i++) {
      const { tenant, id } = robots[i % robots.length]!;
      const begun = tenant.api(i % 2).act(id, 'leds', { color: i % 3 === 0 ? '#102030' : '#302010' });
      await Promise.race([begun.catch(() => null), new Promise((resolve) => setTimeout(resolve, 1000))]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  it('no alert fires without a fault', async () => {
    const scraped = async (): Promise<number> => {
      const [fewest] = await watch.prometheus.query('min(sum_over_time(up{job="perch"}[10m]))');
      return Number(fewest?.values[0]![1] ?? 0);
    };
    await until(async () => (await scraped()) >= 12, { timeoutMs: 60_000, everyMs: 500, what: 'Prometheus to have scraped every instance 12 times' });
    const fired = await watch.everFired();
    assert.deepEqual(
      fired.filter((name) => !ofSpeed.includes(name)),
      [],
    );
    assert.equal((await watch.prometheus.query('perch:robots_connected:sum'))[0]?.values[0]![1], String(robotCount));
  });

  describe('after faults', () => {
    before(async () => {
      oldInstance = await instanceOfAnotherVersion(system);
      await watch.add(oldInstance.target);
      // A receiver that does not answer occupies the only sender.
      const { tenant, robot } = robots[0]!;
      const made = await tenant.api().send('POST', '/v1/webhooks', JSON.stringify({ url: receiver.url('/hangs'), names: ['pat'] }), {
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(made.status, 200, JSON.stringify(made.body));
      receiver.silent.add('/hangs');
      for (let i = 0; i < 10; i++) await robot.pat();
    });

    it('PerchInstanceDown fires for a robot-link that is stopped (SIGSTOP), and PerchHeartbeatsLate once it continues', async () => {
      const frozen = system.cluster.links[1]!;
      frozen.signal('SIGSTOP');
      try {
        await watch.untilFires('PerchInstanceDown');
        const stoppedAt = performance.now();
        await until(() => performance.now() - stoppedAt > 3500);
      } finally {
        frozen.signal('SIGCONT');
      }
      await watch.untilEnds('PerchInstanceDown');
      await watch.untilFires('PerchHeartbeatsLate');
    });

    it('PerchMessagesUnreadable fires for a message that no release writes', async () => {
      const { instance } = system.cluster.links[0]!;
      await system.store.connections.commands.publish(`perch:{${instance}}:inbox`, JSON.stringify({ v: 99, messages: [] }));
      await watch.untilFires('PerchMessagesUnreadable');
    });

    it('PerchConnectionsNearLimit fires while idle connections to a gateway are open', async () => {
      const { host } = new URL(system.gateway());
      const [hostname, port] = host.split(':') as [string, string];
      const idle: Socket[] = [];
      try {
        for (let i = 0; i < 85; i++) {
          const socket = connect(Number(port), hostname);
          socket.on('error', () => undefined);
          socket.write(`GET /v1/robots HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
          idle.push(socket);
        }
        await watch.untilFires('PerchConnectionsNearLimit');
      } finally {
        for (const socket of idle) socket.destroy();
      }
      await watch.untilEnds('PerchConnectionsNearLimit');
    });

    it('PerchMediaNearlyFull fires when several accounts fill the storage for pictures and sounds', async () => {
      const full = new AbortController();
      const fill = async ({ tenant, id }: (typeof robots)[number]): Promise<void> => {
        for (let i = 0; !full.signal.aborted; i++) {
          // 3.5 s of sound are 112 KB; no two are the same.
          await tenant.api().act(id, 'sound', { notes: `C4:${3000 + i} D4:${500 + Math.floor(Math.random() * 500)}` });
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
      };
      const filling = robots.slice(0, 6).map(fill);
      try {
        await watch.untilFires('PerchMediaNearlyFull', 60_000);
      } finally {
        full.abort();
        await Promise.all(filling);
      }
      // The state after all of it has expired, which takes a minute and a half.
      const { commands } = system.store.connections;
      await commands.del('perch:{media:0}', 'perch:{media:0}:bytes', 'perch:{media:0}:reserved', 'perch:{media:0}:shared');
      await watch.untilEnds('PerchMediaNearlyFull');
    });

    it('PerchQueueStuck fires while the render processes are stopped', async function () {
      if (!existsSync('/proc/self/task')) {
        skipped.add('PerchQueueStuck');
        skipTest(this, 'it finds the processes that draw under /proc, which this system lacks');
      }
      const renderer = system.cluster.renderers[0]!;
      const resumed = new AbortController();
      const stopped = new Set<number>();
      const stopAll = async (): Promise<void> => {
        while (!resumed.signal.aborted) {
          // A process that takes too long is replaced: stop its successor as well.
          for (const pid of childrenOf(renderer.pid)) if (sent(pid, 'SIGSTOP')) stopped.add(pid);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      const stops = stopAll();
      const asking = robots.slice(0, 6).map(async ({ tenant, id }) => {
        while (!resumed.signal.aborted)
          await tenant
            .api()
            .act(id, 'show', { text: randomUUID() })
            .catch(() => null);
      });
      try {
        await watch.untilFires('PerchQueueStuck');
      } finally {
        resumed.abort();
        await stops;
        for (const pid of stopped) sent(pid, 'SIGCONT');
      }
      await Promise.all(asking);
      await watch.untilEnds('PerchQueueStuck');
    });

    it('PerchServiceGone fires when the only renderer exits and its target disappears, as with a pod', async () => {
      const renderer = system.cluster.renderers[0]!;
      await renderer.stop();
      await watch.follow(renderer);
      await watch.untilFires('PerchServiceGone');
      await system.cluster.replace(renderer);
      await watch.follow();
      await watch.untilEnds('PerchServiceGone');
    });

    it('PerchRedisUnreachable fires while Redis is stopped, and the calls that fail meanwhile make PerchCallsFailing fire', async () => {
      await redis.kill('SIGSTOP');
      try {
        await watch.untilFires('PerchRedisUnreachable');
        await watch.untilFires('PerchCallsFailing');
      } finally {
        await redis.kill('SIGCONT');
      }
      await watch.untilEnds('PerchRedisUnreachable');
    });

    it('PerchRedisSlow and PerchCommandsLate fire while the network to Redis is slow, and PerchRedisMemoryNearlyFull near maxmemory', async () => {
      const { commands } = system.store.connections;
      const used = Number(/used_memory:(\d+)/.exec(await commands.info('memory'))![1]);
      await commands.config('SET', 'maxmemory', String(Math.round(used / 0.95)));
      await watch.untilFires('PerchRedisMemoryNearlyFull');
      await commands.config('SET', 'maxmemory', '0');
      proxy.conditions = { delayMs: [60, 70] };
      try {
        await watch.untilFires('PerchRedisSlow');
        await watch.untilFires('PerchCommandsLate');
      } finally {
        proxy.conditions = {};
      }
      await watch.untilEnds('PerchRedisMemoryNearlyFull');
      await watch.untilEnds('PerchRedisSlow');
    });

    it('PerchRobotsLostAtOnce fires for robots whose robot-link was killed until they are back, and PerchRobotsDropped counts them', async () => {
      const killed = system.cluster.links[0]!;
      killed.signal('SIGKILL');
      await killed.ended;
      await watch.untilFires('PerchRobotsLostAtOnce');
      robotProxy.target = addressOf(system.cluster.links[1]!);
      await watch.untilEnds('PerchRobotsLostAtOnce');
      await watch.untilFires('PerchRobotsDropped');
      await system.cluster.replace(killed);
      await watch.follow();
    });

    it('PerchCertificateExpiring fires for a connection to Redis with certificates of 2 days, and ends with one of 60 days', async function () {
      skipped.add('PerchCertificateExpiring');
      needsOpenssl(this);
      skipped.delete('PerchCertificateExpiring');
      const expiring = await instanceOverTls(2);
      try {
        await watch.add(expiring.target);
        await watch.untilFires('PerchCertificateExpiring');
      } finally {
        await watch.remove(expiring.target);
        await expiring.stop();
      }
      const renewed = await instanceOverTls(60);
      try {
        await watch.add(renewed.target);
        await watch.untilEnds('PerchCertificateExpiring');
        await until(async () => (await watch.prometheus.query('perch_certificate_expiry_timestamp_seconds')).length >= 2, { timeoutMs: 20_000 });
        assert.ok(!(await watch.firing()).includes('PerchCertificateExpiring'));
      } finally {
        await watch.remove(renewed.target);
        await renewed.stop();
      }
    });

    it('PerchWebhooksStuck fires for messages queued behind a receiver that hangs, and ends when the receiver answers again', async () => {
      await watch.untilFires('PerchWebhooksStuck', 90_000);
      await receiver.close();
      await watch.untilEnds('PerchWebhooksStuck');
    });

    it('PerchVersionsMixed fires while an instance of another version runs', async () => {
      await watch.untilFires('PerchVersionsMixed', 90_000);
      await watch.remove(oldInstance.target);
      await watch.untilEnds('PerchVersionsMixed');
    });

    it('all alerts have fired, and those on causes have ended', async () => {
      const objectives = ['PerchCallsFailing', 'PerchCommandsLate', 'PerchRobotsDropped'];
      await until(async () => (await watch.firing()).every((name) => objectives.includes(name)), {
        timeoutMs: 60_000,
        everyMs: 500,
        what: 'the alerts on causes to end',
      });
      const names = new Set(alertRules().map(({ alert }) => alert));
      assert.deepEqual(await watch.everFired(), [...names].filter((name) => !skipped.has(name)).toSorted());
    });
  });
});

function addressOf({ address }: ServiceProcess): { host: string; port: number } {
  const { hostname, port } = new URL(address);
  return { host: hostname, port: Number(port) };
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Starts the newest release if it was built in this clone, which has no perch_build_info; otherwise a server that reports another version. */
async function instanceOfAnotherVersion(system: TestSystem): Promise<{ target: ExtraTarget; stop(): Promise<unknown> }> {
  const release = builtRelease();
  if (release !== null) {
    const env = { PATH: process.env['PATH'] ?? '', PERCH_REDIS_URL: system.cluster.redisUrl, PERCH_GATEWAY_PORT: '0' };
    const gateway = await startService({ service: 'gateway', root: release.root, env, log: () => undefined });
    return { target: { url: gateway.admin, component: 'gateway' }, stop: () => gateway.stop() };
  }
  const text = '# TYPE perch_build_info gauge\nperch_build_info{component="gateway",version="0.0.1",wire="1"} 1\n';
  const server = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    target: { url: `http://127.0.0.1:${port}`, component: 'gateway' },
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Starts a Redis that accepts TLS only, with its own certificates, and an instance connected to it. */
async function instanceOverTls(days: number): Promise<{ target: ExtraTarget; stop(): Promise<void> }> {
  const certificates = testCertificates(days);
  const tlsPort = await freePort();
  const server = await redisProcess({
    settings: {
      'tls-port': String(tlsPort),
      'tls-cert-file': certificates.server.certificate,
      'tls-key-file': certificates.server.key,
      'tls-ca-cert-file': certificates.ca,
    },
  });
  const stopRedis = async (): Promise<void> => {
    await server.stop();
    certificates.remove();
  };
  let instance: ServiceProcess;
  try {
    instance = await startService({
      service: 'webhooks',
      env: {
        ...environmentOf('webhooks', process.env),
        PERCH_REDIS_URL: `rediss://127.0.0.1:${tlsPort}`,
        PERCH_REDIS_CA_FILE: certificates.ca,
        PERCH_REDIS_CERT_FILE: certificates.client.certificate,
        PERCH_REDIS_KEY_FILE: certificates.client.key,
      },
      log: () => undefined,
    });
  } catch (error) {
    await stopRedis();
    throw error;
  }
  return {
    target: { url: instance.admin, component: 'webhooks' },
    stop: async () => {
      await instance.stop();
      await stopRedis();
    },
  };
}
