import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { environmentOf, startService, type ServiceProcess } from '@perch/launcher';
import { builtRelease, freePort, needsOpenssl, redisProcess, testCertificates, until } from '@perch/testkit';
import { onAlertSystem, robotCount } from '../fixture/telemetry/alert-system.js';
import type { ExtraTarget } from '../fixture/telemetry/alert-watch.js';
import type { SystemUnderTest } from '../fixture/system/system-under-test.js';

/** Alerts that depend on the speed of the machine. */
const ofSpeed = ['PerchCommandsLate', 'PerchRedisSlow'];

onAlertSystem('releases', { gateways: 2, links: 2, renderers: 1 }, (at, skipped) => {
  it('no alert fires without a fault', async () => {
    const { watch } = at();
    await watch.untilScraped(12);
    const fired = await watch.everFired();
    assert.deepEqual(
      fired.filter((name) => !ofSpeed.includes(name)),
      [],
    );
    assert.equal((await watch.prometheus.query('perch:robots_connected:sum'))[0]?.values[0]![1], String(robotCount));
  });

  it('PerchMessagesUnreadable fires for a message that no release writes', async () => {
    const { system, watch } = at();
    const { instance } = system.cluster.links[0]!;
    await system.store.connections.commands.publish(`perch:{${instance}}:inbox`, JSON.stringify({ v: 99, messages: [] }));
    await watch.untilFires('PerchMessagesUnreadable');
  });

  it('PerchVersionsMixed fires while an instance of another version runs', async () => {
    const { system, watch } = at();
    const other = await instanceOfAnotherVersion(system);
    try {
      await watch.add(other.target);
      await watch.untilFires('PerchVersionsMixed');
      await watch.remove(other.target);
      await watch.untilEnds('PerchVersionsMixed');
    } finally {
      await other.stop();
    }
  });

  it('PerchCertificateExpiring fires for a connection to Redis with certificates of 2 days, and ends with one of 60 days', async function () {
    skipped.add('PerchCertificateExpiring');
    needsOpenssl(this);
    skipped.delete('PerchCertificateExpiring');
    const { watch } = at();
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
      await until(async () => (await watch.prometheus.query('perch_certificate_expiry_timestamp_seconds')).length >= 2);
      assert.ok(!(await watch.firing()).includes('PerchCertificateExpiring'));
    } finally {
      await watch.remove(renewed.target);
      await renewed.stop();
    }
  });
});

/** Starts the last release if it was built in this clone; otherwise a server that reports another version. */
async function instanceOfAnotherVersion(system: SystemUnderTest): Promise<{ target: ExtraTarget; stop(): Promise<unknown> }> {
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
