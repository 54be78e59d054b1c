/**
 * Runs what docs/runbooks tells an operator to run, as it stands on the pages: queries on a real Prometheus, commands in a shell on running services whose
 * Redis has the users of deploy/redis. runbooks.test.ts only compares the names in commands of docker and kubectl.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { publicKeyOf } from '@perch/installer/node';
import {
  needsOpenssl,
  needsPrometheus,
  needsPromtool,
  needsRedisServer,
  redisProcess,
  testCertificates,
  until,
  writeRedisUsers,
  type LocalRedis,
  type PageCommand,
  type TestCertificates,
} from '@perch/testkit';
import { WebhookReceiver } from '../fixture/clients/webhook-receiver.js';
import { OperatorShell, root, runbookCommands, shellCommands } from '../fixture/runbooks/operator-shell.js';
import { startProbe, type StartedProbe } from '../fixture/system/started-probe.js';
import { SystemUnderTest, type Tenant } from '../fixture/system/system-under-test.js';
import { AlertWatch } from '../fixture/telemetry/alert-watch.js';

/** Queries that return nothing while nothing is wrong. */
const emptyInCalm: [query: RegExp, reason: string][] = [
  [/^perch_certificate_expiry|^min by \(certificate\)/, 'Redis is reached without TLS'],
  [/perch_unreadable_records_total/, 'every record was read'],
  [/perch:balancer_failed/, 'no load balancer is scraped'],
  [/perch:robots_usual/, 'nothing is known of other days'],
];

/** What a command must print. */
const answers: [command: string, answer: RegExp][] = [
  ["kubectl exec deployment/perch-gateway -- node -e '\n", /^open$/m],
  ['/robot/v1/link', /^HTTP\/1\.1 426 /m],
  ['https://PERCH_HOST/v1/robots', /^HTTP\/1\.1 401 /m],
  ['/readyz', /"ok":true/],
  ['/healthz', /"ok":true/],
  ['perch redis check --users-file', /default/],
  ['perch key find < SECRET_FILE', /^secret +current/m],
  ['perch key find < TOKEN_FILE', /^robot +r-/m],
  ['openssl ', /^notAfter=/m],
  ['sha256sum', /^[0-9a-f]{64} /m],
];

describe('the runbooks, on running services', function () {
  this.timeout(120_000);
  const passwords = { PERCH_REDIS_PASSWORD: 'of-perch', EXPORTER_PASSWORD: 'of-exporter', OPERATOR_PASSWORD: 'of-operator' };
  const folder = mkdtempSync(join(tmpdir(), 'perch-runbooks-'));
  const aclfile = join(folder, 'users.acl');
  const tls = createServer();
  let certificates: TestCertificates;
  let redis: LocalRedis;
  let redisUrl: string;
  let receiver: WebhookReceiver;
  let system: SystemUnderTest;
  let probe: StartedProbe;
  let watch: AlertWatch;
  let shell: OperatorShell;

  before(async function () {
    needsRedisServer(this);
    needsPrometheus(this);
    needsPromtool(this);
    needsOpenssl(this);
    writeRedisUsers(aclfile, passwords);
    redis = await redisProcess({ appendOnly: true, settings: { aclfile, maxmemory: '256mb' } });
    redisUrl = `redis://perch:${passwords.PERCH_REDIS_PASSWORD}@127.0.0.1:${redis.port}`;
    receiver = await WebhookReceiver.open();
    const env = { ...process.env, PERCH_WEBHOOK_ALLOW_PRIVATE: 'true' };
    system = await SystemUnderTest.open({ gateways: 1, links: 1, renderers: 1 }, { redis: redisUrl, webhooks: 1, env });
    probe = await startProbe(
      system,
      { baseUrl: system.gateway(), linkUrl: system.link() },
      { PERCH_PROBE_INTERVAL_MS: '1000', PERCH_PROBE_TIMEOUT_MS: '1000' },
    );
    watch = await AlertWatch.open(system, { rangesBy: 60, rangeMinMs: 3000, forBy: 60, forMaxMs: 5000 });
    await watch.add({ url: probe.process.admin, component: 'probe' });
    certificates = testCertificates();
    tls.setSecureContext({ cert: readFileSync(certificates.server.certificate), key: readFileSync(certificates.server.key) });
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
    mkdirSync(join(folder, 'data/appendonlydir'), { recursive: true });
    writeFileSync(join(folder, 'redis-url'), redisUrl);
    writeFileSync(join(folder, 'exporter-password'), passwords.EXPORTER_PASSWORD);
    const paths: [string, string][] = [
      ['/perch/healthcheck.mjs', join(root, 'deploy/image/healthcheck.mjs')],
      ['/run/redis/users.acl', aclfile],
      ['/secrets/redis/', `${folder}/`],
      ['/data/', join(folder, 'data/')],
    ];
    const { port } = new URL(system.cluster.gateways[0]!.admin);
    shell = new OperatorShell(this, { paths, env: { PERCH_ADMIN_PORT: port, PERCH_REDIS_URL: redisUrl } }, folder);
  });
  after(async () => {
    tls.close();
    certificates?.remove();
    await watch?.close();
    await probe?.process.stop();
    await system?.close();
    await receiver?.close();
    await redis?.stop();
    shell?.close();
  });

  const json = { headers: { 'content-type': 'application/json' } };
  const newWebhook = async (tenant: Tenant): Promise<{ id: string; secret: string }> => {
    const { body } = await tenant.api().send('POST', '/v1/webhooks', JSON.stringify({ url: receiver.url('/hook') }), json);
    return { id: body.webhook.id, secret: body.secret };
  };

  /** Returns the command with what the operator fills in: an account of its own with all that it may name, and files of the machine. */
  async function filledIn(text: string, tenant: Tenant): Promise<string> {
    const { gateways, links } = system.cluster;
    const usersOfHost = join(folder, 'users-of-host.acl');
    copyFileSync(aclfile, usersOfHost);
    const places: [string, string][] = [
      ['HOST:9464', new URL(gateways[0]!.admin).host],
      ['https://PERCH_HOST', gateways[0]!.address],
      ['https://ROBOTS_HOST/robot/v1/link', links[0]!.address.replace(/^ws/, 'http')],
      ['REDIS_HOST:6379', `127.0.0.1:${(tls.address() as AddressInfo).port}`],
      ['"REDIS_HOST", 6379', `"127.0.0.1", ${redis.port}`],
      ['"REDIS_HOST"', '"127.0.0.1"'],
      ['/etc/redis/users.acl', usersOfHost],
      ['cat /run/perch/redis-url', `cat ${join(folder, 'redis-url')}`],
    ];
    const { store } = system;
    const secretFile = (secret: string): string => {
      const path = join(folder, 'leaked-secret');
      writeFileSync(path, `${secret}\n`);
      return path;
    };
    const values: Record<string, () => Promise<string>> = {
      ACCOUNT: async () => tenant.account,
      EMAIL: async () => (await store.accounts.get(tenant.account))!.email,
      FILE: async () => certificates.server.certificate,
      KEY_ID: async () => (await store.apiKeys.create({ account: tenant.account })).id,
      NEW_PUBLIC_KEY: async () => publicKeyOf(generateKeyPairSync('ed25519').privateKey),
      POD: async () => 'perch-gateway-6d5f-x2x4z',
      ROBOT: async () => (await store.robots.create({ account: tenant.account })).robot,
      SECRET_FILE: async () => secretFile((await store.apiKeys.create({ account: tenant.account })).apiKey),
      TOKEN_FILE: async () => secretFile((await store.robots.create({ account: tenant.account })).token),
      USERS_FILE: async () => aclfile,
      WEBHOOK: async () => (await newWebhook(tenant)).id,
    };
    let filled = places.reduce((placed, [from, to]) => placed.replaceAll(from, to), text);
    for (const [name, value] of Object.entries(values)) {
      const word = new RegExp(`\\b${name}\\b`, 'g');
      if (word.test(filled)) filled = filled.replaceAll(word, await value());
    }
    return filled;
  }

  async function run(command: PageCommand): Promise<void> {
    const tenant = await system.tenant();
    // A Redis into which a copy was restored: no instance runs on it.
    const url = redisUrl + (command.text.includes('redis restored') ? '/1' : '');
    const env = { PERCH_REDIS_URL: url, PERCH_BASE_URL: system.gateway(), PERCH_API_KEY: tenant.key };
    const output = await shell.run(command, await filledIn(command.text, tenant), env);
    for (const [text, answer] of answers) if (command.text.includes(text)) assert.match(output, answer, `docs/${command.page}:${command.line}`);
  }

  it('returns something for every query, and for a comparison something to compare', async () => {
    const tenant = await system.tenant();
    receiver.secrets.set('/hook', (await newWebhook(tenant)).secret);
    const { id, robot } = await tenant.robot({ instant: true });
    const { prometheus } = watch;
    // Counters that begin before the first scrape do not grow.
    await watch.untilScraped(2);
    await tenant.api().act(id, 'show', { title: 'Night', text: 'A card' });
    await tenant.api().act(id, 'leds', { color: '#102030' });
    await robot.tap(5, 5);
    await until(() => receiver.at('/hook').length > 0);
    const queries = runbookCommands.filter(({ kind }) => kind === 'promql');
    assert.ok(queries.length > 70, `${queries.length} queries`);
    const series = async (query: string): Promise<number> => (await prometheus.query(query)).length;
    const problemOf = async (text: string): Promise<string | null> => {
      const reason = emptyInCalm.find(([query]) => query.test(text))?.[1];
      // A comparison is about a fault; what it compares is there without one.
      const compared = text.replace(/ (?:[<>]=?|==|!=) (?:bool )?[\d.]+$/, '');
      try {
        await series(text);
        // The name of a histogram alone.
        const found = (await series(compared)) || (/^perch_\w+$/.test(compared) ? await series(`${compared}_bucket`) : 0);
        if (found === 0) return reason === undefined ? 'returns nothing' : null;
        return reason === undefined ? null : `returns something, although ${reason}`;
      } catch (error) {
        return (error as Error).message;
      }
    };
    let wrong: string[] = [];
    // Rates are there after some scrapes, and recordings after some evaluations.
    const areRight = async (): Promise<boolean> => {
      const problems = await Promise.all(queries.map(({ text }) => problemOf(text)));
      wrong = queries.flatMap(({ page, line, text }, i) => (problems[i] === null ? [] : [`docs/${page}:${line}: ${text}: ${problems[i]}`]));
      return wrong.length === 0;
    };
    await until(areRight, { timeoutMs: 60_000, everyMs: 1000 }).catch(() => undefined);
    assert.deepEqual(wrong, []);
  });

  for (const command of shellCommands) {
    const { page, line, text } = command;
    it(`docs/${page}:${line} succeeds: ${text.split('\n')[0]}`, () => run(command));
  }
});
