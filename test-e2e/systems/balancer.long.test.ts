/** Two gateways and two robot-links behind HAProxy with the shipped deploy/haproxy/perch.cfg. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EventStreamClient,
  needsHaproxy,
  needsRedisServer,
  redisProcess,
  skipTest,
  startLoadBalancer,
  TcpProxy,
  until,
  type LoadBalancer,
  type LocalRedis,
} from '@perch/testkit';
import { VirtualRobot } from '@perch/virtual-robot';
import { Api, type Answer } from '../fixture/clients/api.js';
import { waitArmed, left } from '../fixture/robots/question.js';
import { SystemUnderTest, type Tenant } from '../fixture/system/system-under-test.js';

describe('HAProxy with deploy/haproxy/perch.cfg (2 gateways, 2 robot-links)', () => {
  let haproxy: string;
  let redis: LocalRedis;
  let redisOfSecond: TcpProxy;
  let system: SystemUnderTest;
  let balancer: LoadBalancer;
  const lines: string[] = [];

  before(async function () {
    haproxy = needsHaproxy(this);
    needsRedisServer(this);
    redis = await redisProcess({});
    redisOfSecond = await TcpProxy.open({ host: '127.0.0.1', port: Number(new URL(redis.url).port) });
    const env = { PERCH_TRUST_PROXY: '1', PERCH_LOG_LEVEL: 'info' };
    system = await SystemUnderTest.open({ gateways: 1, links: 2, renderers: 1, env }, { redis: redis.url, log: (line) => lines.push(line) });
    await system.cluster.add('gateway', { PERCH_REDIS_URL: `redis://127.0.0.1:${redisOfSecond.port}` });
    const [firstGateway, secondGateway] = system.cluster.gateways;
    const [firstLink, secondLink] = system.cluster.links;
    balancer = await startLoadBalancer({
      gateways: [firstGateway!, secondGateway!],
      links: [firstLink!, secondLink!],
      log: (line) => lines.push(line),
    });
    await balancer.untilUp('gateways', 2);
    await balancer.untilUp('robot_links', 2);
  });
  afterEach(() => system?.clear());
  after(async () => {
    await balancer?.stop();
    await system?.close();
    await redisOfSecond?.close();
    await redis?.stop();
  });

  const apiOf = (tenant: Tenant): Api => new Api(balancer.programs, tenant.key);
  const robotOf = async (tenant: Tenant): Promise<{ id: string; robot: VirtualRobot }> => {
    const { robot: id, token } = await system.store.robots.create({ account: tenant.account });
    const robot = new VirtualRobot({ url: balancer.robots, token, instant: true });
    system.keep(robot);
    await robot.start();
    return { id, robot };
  };
  const givenTo = async (backend: string, server: string): Promise<number> => {
    const rows = (await balancer.command('show stat')).split('\n').map((line) => line.split(','));
    const total = rows[0]!.indexOf('stot');
    return Number(rows.find(([name, own]) => name === backend && own === server)![total]);
  };
  const isOwnFailure = ({ status, headers, body }: Answer, code: string): void => {
    assert.deepEqual({ status, ok: body.ok, code: body.code }, { status: 503, ok: false, code });
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(typeof body.error, 'string');
    assert.ok(body.request_id.length > 0);
  };

  it('HAProxy spreads robots and calls over the instances, and each action arrives', async () => {
    const tenant = await system.tenant();
    const robots = await Promise.all([1, 2, 3, 4].map(() => robotOf(tenant)));
    for (const { id, robot } of robots) {
      const { status, body } = await apiOf(tenant).act(id, 'face', { emotion: 'happy' });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(robot.commands.filter(({ name, outcome }) => name.startsWith('face') && outcome === 'done').length, 1);
    }
    for (const server of ['robot-link-1', 'robot-link-2']) assert.ok((await givenTo('robot_links', server)) >= 2, server);
    for (const server of ['gateway-1', 'gateway-2']) assert.ok((await givenTo('gateways', server)) >= 1, server);
  });

  it('HAProxy keeps the connection of a question open until the tap', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await robotOf(tenant);
    const call = apiOf(tenant).act(id, 'ask', { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 20 });
    await waitArmed(system, id, robot);
    await robot.tap(...left);
    assert.equal((await call).body.answer, 'Yes');
  });

  it("HAProxy closes the gateway's connection when a client hangs up, which ends its question", async () => {
    const tenant = await system.tenant();
    const { id, robot } = await robotOf(tenant);
    const client = new AbortController();
    const call = apiOf(tenant).act(id, 'ask', { question: 'Still there?', answers: ['Yes', 'No'], timeout_s: 60 }, { signal: client.signal });
    await waitArmed(system, id, robot);
    client.abort();
    await assert.rejects(call);
    await robot.until(({ screen }) => screen.question === null, { what: 'the question to be taken away' });
  });

  it('HAProxy passes each event of a stream on as it happens', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await robotOf(tenant);
    const stream = await EventStreamClient.open(`${balancer.programs}/v1/robots/${id}/events`, { apiKey: tenant.key });
    system.keep({ stop: async () => stream.close() });
    for (const round of [1, 2, 3]) {
      await robot.pat({ heldMs: 100 });
      await until(() => stream.messages.filter(({ data }) => data.name === 'pat').length === round, {
        what: `pat ${round} while the stream is open`,
      });
    }
  });

  it("HAProxy replaces a client's X-Forwarded-For and Forwarded with its true address, for gateways and robot-links", async () => {
    const forged = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
    const signIn = { email: 'nobody@example.com', password: 'not the password' };
    const pairing = { serial: 'forged-1', model: 'test', firmware: '1' };
    await fetch(`${balancer.programs}/console/session`, { method: 'POST', headers: forged, body: JSON.stringify(signIn) });
    const robots = balancer.robots.replace(/^ws(.*)\/link$/, 'http$1/pair');
    await fetch(robots, { method: 'POST', headers: forged, body: JSON.stringify(pairing) });
    for (const audit of ['sign_in', 'pairing_begin']) {
      const line = await until(() => lines.find((one) => one.includes(`"audit":"${audit}"`)), { what: `the audit line ${audit}` });
      assert.equal(JSON.parse(line).network, '127.0.0.1');
    }
  });

  it("HAProxy passes a client's X-Request-Id on, and creates one for a client that sends none", async () => {
    const ask = (headers: Record<string, string>): Promise<Response> => fetch(`${balancer.programs}/v1/actions`, { headers });
    assert.equal((await ask({ 'x-request-id': 'mine-1' })).headers.get('x-request-id'), 'mine-1');
    assert.match((await ask({})).headers.get('x-request-id') ?? '', /^lb-[0-9a-f-]{36}$/);
  });

  it('HAProxy lets the gateway answer a body over 2 MB, an unknown path and headers of 20 KB with JSON', async () => {
    const tenant = await system.tenant();
    const api = apiOf(tenant);
    const tooLarge = await api.act('r-none', 'show', { text: 'x'.repeat(2_200_000) });
    assert.ok([404, 413].includes(tooLarge.status), String(tooLarge.status));
    assert.equal((await api.get('/nothing/here')).body.code, 'not_found');
    const longHeaders = await api.get('/v1/actions', { headers: { 'x-long': 'x'.repeat(20_000) } });
    assert.deepEqual([longHeaders.status, longHeaders.body.code], [400, 'bad_argument']);
  });

  it('HAProxy answers invalid HTTP with JSON', async function () {
    const version = /version (\d+)\.(\d+)\.(\d+)/
      .exec(spawnSync(haproxy, ['-v'], { encoding: 'utf8' }).stdout)!
      .slice(1)
      .map(Number);
    const [major = 0, minor = 0, patch = 0] = version;
    if (major * 1e6 + minor * 1e3 + patch < 3_002_004) skipTest(this, 'HAProxy older than 3.2.4 answers what it cannot parse with its own HTML');
    const socket = connect(Number(new URL(balancer.programs).port), '127.0.0.1');
    socket.end('no request\r\n\r\n');
    let answer = '';
    for await (const part of socket.setEncoding('utf8')) answer += part;
    assert.equal(JSON.parse(answer.split('\r\n\r\n')[1]!).code, 'bad_argument');
  });

  it('HAProxy sends no call to a gateway that has been cut off from Redis for 5 s, and no call fails from then on', async () => {
    const tenant = await system.tenant();
    const { id } = await robotOf(tenant);
    redisOfSecond.conditions = { hold: 'both' };
    try {
      await new Promise((resolve) => setTimeout(resolve, 5000));
      const before = await givenTo('gateways', 'gateway-2');
      for (let call = 0; call < 20; call += 1) {
        const { status, body } = await apiOf(tenant).act(id, 'face', { emotion: call % 2 === 0 ? 'happy' : 'neutral' });
        assert.equal(status, 200, JSON.stringify(body));
      }
      assert.equal(await givenTo('gateways', 'gateway-2'), before);
    } finally {
      redisOfSecond.conditions = {};
      redisOfSecond.cut();
    }
    await balancer.untilUp('gateways', 2);
  });

  it("HAProxy passes on the gateways' JSON 503 with Retry-After while Redis is down, before and after its health checks fail, and leaves robots connected", async () => {
    const tenant = await system.tenant();
    const { id, robot } = await robotOf(tenant);
    await redis.kill('SIGKILL');
    const refused = async (): Promise<void> => {
      const answer = await apiOf(tenant).get(`/v1/robots/${id}`);
      isOwnFailure(answer, 'service_unavailable');
      assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.match(answer.body.error, /cannot reach its storage/);
    };
    try {
      await refused();
      await balancer.untilUp('gateways', 0);
      await balancer.untilUp('robot_links', 0);
      await refused();
      assert.deepEqual([robot.online, robot.dials], [true, 1]);
      assert.equal((await fetch(`${balancer.programs}/nothing/here`)).status, 404);
    } finally {
      await redis.restart();
    }
    await balancer.untilUp('gateways', 2);
    await balancer.untilUp('robot_links', 2);
    await until(async () => (await system.store.accounts.list()) !== null, { what: 'Redis to be back for this test' });
    // Each part reconnects by itself: the next test begins when a picture is drawn, sent and acked again. Redis has lost the account of this one.
    const successor = await system.tenant();
    const { id: next } = await robotOf(successor);
    let shown = 0;
    await until(async () => (await apiOf(successor).act(next, 'show', { title: `After the outage ${++shown}` })).status === 200, {
      what: 'a picture to be shown after the outage',
    });
  });

  it('HAProxy answers 503 outcome_unknown if a gateway dies during the first call of a connection, and does not repeat the call', async () => {
    const tenant = await system.tenant();
    const { id, robot } = await robotOf(tenant);
    await balancer.command('set server gateways/gateway-1 state drain');
    const call = onNewConnection(`${balancer.programs}/v1/robots/${id}/ask`, tenant.key, { question: 'Still there?', answers: ['Yes', 'No'] });
    const early = call.then(({ status, body }) => assert.fail(`answered before the tap: ${status} ${JSON.stringify(body)}`));
    await Promise.race([waitArmed(system, id, robot), early]);
    const dead = system.cluster.gateways[1]!;
    dead.signal('SIGKILL');
    isOwnFailure(await call, 'outcome_unknown');
    assert.equal(robot.commands.filter(({ name }) => name === 'screen.show').length, 1);
    await balancer.command('set server gateways/gateway-1 state ready');
    await dead.ended;
    const successor = await system.cluster.add('gateway');
    await balancer.replace('gateway-2', successor);
    await balancer.untilUp('gateways', 2);
  });

  it('HAProxy answers 503 service_unavailable with Retry-After if no instance runs, also over HTTP/2 with TLS', async function () {
    const folder = mkdtempSync(join(tmpdir(), 'perch-balancer-'));
    const certificate = join(folder, 'certificate.pem');
    const openssl = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-keyout', join(folder, 'key.pem'), '-out', certificate],
    ]);
    if (openssl.status !== 0) skipTest(this, 'openssl is needed to make a certificate');
    writeFileSync(certificate, readFileSync(certificate, 'utf8') + readFileSync(join(folder, 'key.pem'), 'utf8'));
    const nobody = { address: 'http://127.0.0.1:9', admin: 'http://127.0.0.1:9' };
    const withTls = await startLoadBalancer({ gateways: [nobody, nobody], links: [nobody, nobody], env: { TLS_CERTIFICATE: certificate } });
    try {
      const session = connectHttp2(withTls.programs.replace('http:', 'https:'), { rejectUnauthorized: false });
      const stream = session.request({ ':path': '/v1/robots' });
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      let body = '';
      for await (const part of stream.setEncoding('utf8')) body += part;
      // Before HAProxy stops, which would reset it.
      await new Promise<void>((resolve) => session.close(resolve));
      assert.deepEqual([headers[':status'], headers['retry-after'], JSON.parse(body).code], [503, '1', 'service_unavailable']);
    } finally {
      await withTls.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Posts over a new connection: HAProxy may close a reused one without a response, as the server did. */
async function onNewConnection(url: string, key: string, args: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call = request(url, { method: 'POST', headers, agent: false }).end(JSON.stringify(args));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode!, headers: new Headers(response.headers as Record<string, string>), body: JSON.parse(text) };
}
