import { privateRedis, until } from '@perch/testkit';
import { pair, VirtualRobot } from '@perch/virtual-robot';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { LinksUnderTest, useLink, useLinks } from './links-under-test.js';

describe('pairing', () => {
  const system = useLinks();
  const link = useLink(system);
  let base: string;
  before(async () => {
    base = link.app.address.replace('ws:', 'http:').replace('/link', '');
  });

  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('returns a code, then, once a user has entered it, the token, only once', async () => {
    const begun = await post('/pair', { serial: randomUUID(), model: 'm', firmware: 'f' });
    assert.equal(begun.status, 200);
    assert.match(String(begun.body['user_code']), /^[A-Z]{4}-[A-Z]{4}$/);
    assert.equal(begun.body['expires_in'], 600);
    assert.equal(begun.body['interval'], 3);
    assert.equal(begun.body['verification_uri'], 'http://127.0.0.1/pair');
    assert.equal(begun.body['verification_uri_complete'], `http://127.0.0.1/pair?code=${String(begun.body['user_code'])}`);
    const device = { device_code: begun.body['device_code'] };
    assert.deepEqual(await post('/pair/token', device), { status: 400, body: { error: 'authorization_pending' } });
    assert.deepEqual(await post('/pair/token', device), { status: 400, body: { error: 'slow_down' } });

    const { account } = await system.store.accounts.create({ email: `${randomUUID()}@example.com` });
    const approved = await system.store.pairing.approve(account, String(begun.body['user_code']));
    const given = await until(
      async () => {
        const answer = await post('/pair/token', device);
        return answer.status === 200 ? answer : null;
      },
      { everyMs: 3000 },
    );
    assert.equal(given.body['robot_id'], approved?.robot);
    const robot = new VirtualRobot({ url: link.app.address, token: String(given.body['token']) });
    await robot.start();
    await robot.stop();
    const again = await post('/pair/token', device);
    assert.equal(again.body['error'], 'expired_token');
  });

  it('writes an audit line when a pairing begins and when the robot claims its token, without a code or token in it', async () => {
    const lines: string[] = [];
    const { app } = await system.instance({ logTo: { write: (line: string) => void lines.push(line) } });
    const at = app.address.replace('ws:', 'http:').replace('/link', '');
    const ask = async (path: string, body: object) =>
      (await (
        await fetch(at + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
      ).json()) as Record<string, string>;
    const serial = randomUUID();
    const begun = await ask('/pair', { serial, model: 'm', firmware: 'f' });
    const { account } = await system.store.accounts.create({ email: `${randomUUID()}@example.com` });
    const approved = await system.store.pairing.approve(account, begun['user_code']!);
    const claimed = await ask('/pair/token', { device_code: begun['device_code'] });
    assert.equal(claimed['robot_id'], approved?.robot);
    const audits = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ audit }) => audit !== undefined);
    assert.deepEqual(
      audits.map(({ level, msg, audit, outcome, serial: shown, model, robot, network }) => [
        level,
        msg,
        audit,
        outcome,
        shown ?? robot,
        model,
        network,
      ]),
      [
        ['info', 'audit', 'pairing_begin', 'ok', serial, 'm', '127.0.0.1'],
        ['info', 'audit', 'pairing_claim', 'ok', approved?.robot, undefined, '127.0.0.1'],
      ],
    );
    for (const secret of [begun['user_code']!, begun['user_code']!.replace('-', ''), begun['device_code']!, claimed['token']!])
      assert.equal(lines.join('').includes(secret), false);
  });

  it("closes the former owner's session with 4003 when the same hardware is paired to another account, and no session for a claimed serial", async () => {
    const serial = randomUUID();
    const approve = async (code: string): Promise<void> => {
      const { account } = await system.store.accounts.create({ email: `${randomUUID()}@example.com` });
      assert.notEqual(await system.store.pairing.approve(account, code), null);
    };
    const paired = (formerToken?: string) =>
      pair(new URL(base).origin, { serial, onCode: ({ userCode }) => void approve(userCode), ...(formerToken === undefined ? {} : { formerToken }) });
    const first = await paired();
    const robot = new VirtualRobot({ url: link.app.address, token: first.token });
    await robot.start();
    const stranger = await paired();
    assert.notEqual(stranger.robotId, first.robotId);
    assert.equal(robot.online, true);
    const second = await paired(first.token);
    await robot.until(({ lastClosed }) => lastClosed !== null, { what: 'the former session to be closed' });
    assert.equal(robot.lastClosed!.code, 4003);
    assert.equal(await system.store.robots.byToken(first.token), null);
    assert.equal((await system.store.robots.byToken(second.token))?.id, second.robotId);
    await robot.stop();
  });

  it("returns the URL of a running gateway's page if the operator has not set one", async () => {
    const redis = await privateRedis();
    const apart = new LinksUnderTest();
    try {
      await apart.open(redis.url);
      const other = await apart.instance({ verificationUri: null });
      base = other.app.address.replace('ws:', 'http:').replace('/link', '');
      const uri = async (): Promise<unknown> => (await post('/pair', { serial: randomUUID(), model: 'm', firmware: 'f' })).body['verification_uri'];
      assert.equal(await uri(), 'http://127.0.0.1:8080/pair');
      await apart.store.instances.offer('page', 'https://robots.example');
      assert.equal(await uri(), 'https://robots.example/pair');
    } finally {
      await apart.close();
      await redis.stop();
      base = link.app.address.replace('ws:', 'http:').replace('/link', '');
    }
  });

  it('closes the session that was opened with the former token', async () => {
    const serial = randomUUID();
    const { account } = await system.store.accounts.create({ email: `${randomUUID()}@example.com` });
    const { token, robot: id } = await system.store.robots.create({ account, serial });
    const robot = new VirtualRobot({ url: link.app.address, token, sensors: false });
    await robot.start();
    const begun = await post('/pair', { serial, model: 'm', firmware: 'f' });
    await system.store.pairing.approve(account, String(begun.body['user_code']));
    assert.equal((await post('/pair/token', { device_code: begun.body['device_code'] })).status, 200);
    await robot.until(({ lastClosed }) => lastClosed?.code === 4003);
    await robot.stop();
    // Nobody holds the robot until it connects with the new token.
    await until(async () => (await system.store.leases.find(id)).state === 'away', { what: 'the robot to be away' });
  });

  it('pairs the virtual robot', async () => {
    const { account } = await system.store.accounts.create({ email: `${randomUUID()}@example.com` });
    const paired = await pair(link.app.address.replace('ws:', 'http:').replace('/robot/v1/link', ''), {
      serial: randomUUID(),
      onCode: ({ userCode }) => void system.store.pairing.approve(account, userCode),
    });
    const robot = new VirtualRobot({ url: link.app.address, token: paired.token, sensors: false });
    await robot.start();
    await robot.stop();
  });

  it('answers a body over 4 KB with 413 as JSON and then closes the connection, without resetting it', async () => {
    const { hostname, port } = new URL(base);
    const part = 'x'.repeat(60_000);
    for (const framing of ['content-length: 60000', 'transfer-encoding: chunked']) {
      const socket = connect(Number(port), hostname);
      const received: Buffer[] = [];
      socket.on('data', (data: Buffer) => received.push(data));
      const ended = new Promise<string>((resolve) => {
        socket.once('error', (error) => resolve(error.message));
        socket.once('end', () => resolve('ended'));
      });
      socket.write(`POST /robot/v1/pair HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`);
      if (framing.includes('chunked')) socket.write(`${part.length.toString(16)}\r\n`);
      // In two parts: the second one is still in flight when the answer arrives.
      socket.write(part.slice(0, 30_000));
      await until(() => received.length > 0, { what: 'the answer' });
      socket.write(part.slice(30_000));
      if (framing.includes('chunked')) socket.write('\r\n0\r\n\r\n');
      assert.equal(await ended, 'ended');
      const [head, body] = Buffer.concat(received).toString().split('\r\n\r\n');
      assert.match(head!, /^HTTP\/1\.1 413 /);
      assert.match(head!, /\r\nconnection: close/i);
      const answer = JSON.parse(body!) as Record<string, unknown>;
      assert.deepEqual([answer['ok'], answer['code']], [false, 'body_too_large']);
    }
    assert.equal((await post('/pair/token', { device_code: 'x'.repeat(5000) })).status, 413);
  });

  it('refuses a body that is not JSON or lacks a field with 400', async () => {
    for (const body of ['', '{', '[]', '{"serial":1}']) {
      const refused = await post('/pair', body);
      assert.equal(refused.status, 400, body.slice(0, 20));
      assert.equal(refused.body['ok'], false);
    }
    assert.equal((await post('/pair/token', {})).body['error'], 'invalid_request');
  });

  it('answers 415 to a body that is not declared as JSON, as a page of another site may have a browser send it', async () => {
    base = (await system.instance()).app.address.replace('ws:', 'http:').replace('/link', '');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json', 'application/jsonx', ''])
      for (const [path, body] of [
        ['/pair', { serial: randomUUID(), model: 'm', firmware: 'f' }],
        ['/pair/token', { device_code: 'x' }],
      ] as const) {
        const refused = await post(path, body, { 'content-type': type });
        assert.deepEqual([refused.status, refused.body['ok'], refused.body['code']], [415, false, 'not_json'], `${path} ${type}`);
      }
    // Robots of 0.10.0 send the first.
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8']) {
      const begun = await post('/pair', { serial: randomUUID(), model: 'm', firmware: 'f' }, { 'content-type': type });
      assert.equal(begun.status, 200, type);
    }
    base = link.app.address.replace('ws:', 'http:').replace('/link', '');
  });

  /** Sends a request as given, since fetch sets Host itself. @returns its status */
  const statusOf = async (address: string, target: string, host: string | null): Promise<number> => {
    const { hostname, port } = new URL(address);
    const body = JSON.stringify({ serial: randomUUID(), model: 'm', firmware: 'f' });
    const socket = connect(Number(port), hostname);
    const head = [`POST ${target} HTTP/1.${host === null ? 0 : 1}`, ...(host === null ? [] : [`Host: ${host}`]), 'Connection: close'];
    socket.write([...head, 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join('\r\n'));
    const parts: Buffer[] = [];
    for await (const part of socket as AsyncIterable<Buffer>) parts.push(part);
    return Number(/^HTTP\/1\.1 (\d+) /.exec(Buffer.concat(parts).toString())?.[1]);
  };

  it('pairs under the name of its public URL, IP addresses, loopback names and names in .local alone, once it has that URL', async () => {
    const named = await system.instance({ linkPublicUrl: 'wss://Robots.example.org:8443/robot/v1/link' });
    for (const host of [
      ...['robots.example.org', 'ROBOTS.example.org:8443', 'robots.example.org.', '127.0.0.1:8081', '192.168.1.20', '[::1]:8081', '[fe80::1]'],
      ...['localhost', 'localhost:1', 'perch.localhost', 'perch.local', 'Perch.local.:8081'],
    ])
      assert.equal(await statusOf(named.app.address, '/robot/v1/pair', host), 200, host);
    for (const host of [
      ...[
        'evil.example',
        'robots.example.org.evil.example',
        'evil-robots.example.org',
        'example.org',
        'local',
        'evillocal',
        'perch.local.evil.example',
      ],
      ...['localhost.evil.example', '127.0.0.1.evil.example', 'robots.example.org@evil.example', ''],
    ])
      assert.equal(await statusOf(named.app.address, '/robot/v1/pair', host), 403, host);
    assert.equal(await statusOf(named.app.address, '/robot/v1/pair', null), 403);
    assert.equal(await statusOf(named.app.address, '/robot/v1/pair/token', 'evil.example'), 403);
  });

  it('takes the host of a target in absolute form, and not that of the Host header', async () => {
    const named = await system.instance({ linkPublicUrl: 'wss://robots.example.org' });
    assert.equal(await statusOf(named.app.address, 'http://evil.example/robot/v1/pair', 'robots.example.org'), 403);
    assert.equal(await statusOf(named.app.address, 'HTTP://robots.example.org/robot/v1/pair', 'evil.example'), 200);
  });

  it('pairs under any name without a public URL, as 0.10.0 does', async () => {
    const { app } = await system.instance();
    for (const host of ['robots.example.org', 'perch', 'perch.lan:8081'])
      assert.equal(await statusOf(app.address, '/robot/v1/pair', host), 200, host);
    assert.equal(await statusOf(app.address, '/robot/v1/pair', null), 200);
  });

  it('limits how many robots are paired from one address', async () => {
    const bounded = await system.instance();
    base = bounded.app.address.replace('ws:', 'http:').replace('/link', '');
    const statuses: number[] = [];
    for (let i = 0; i < 25; i += 1) statuses.push((await post('/pair', { serial: `s${i}`, model: 'm', firmware: 'f' })).status);
    assert.equal(statuses[0], 200);
    assert.equal(statuses.at(-1), 429);
  });

  it('counts the pairings of an IPv6 /64 network together, however its addresses are compressed', async () => {
    const proxied = await system.instance({ trustProxy: 1 });
    base = proxied.app.address.replace('ws:', 'http:').replace('/link', '');
    const begin = (address: string) => post('/pair', { serial: randomUUID(), model: 'm', firmware: 'f' }, { 'x-forwarded-for': address });
    const spellings = ['2001:db8::', '2001:db8:0:0:', '2001:0db8:0000:0000:1:2:3:'];
    const answers = [];
    for (let i = 0; i < 21; i += 1) answers.push(await begin(`${spellings[i % 3]}${i % 3 === 1 ? '1:2:3:' : ''}${i.toString(16)}`));
    assert.deepEqual([answers.filter(({ status }) => status === 200).length, answers.at(-1)?.status], [20, 429]);
    assert.equal((await begin('2001:db8:0:1::1')).status, 200);
  });
});
