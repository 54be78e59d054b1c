import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { until, type EventStreamClient } from '@perch/testkit';
import { pair, VirtualRobot } from '@perch/virtual-robot';
import { halves } from '../fixture/media/pictures.js';
import { PageSession } from '../fixture/clients/page-session.js';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import type { Tenant } from '../fixture/system/system-under-test.js';
import { MovableRobot } from '../fixture/robots/movable-robot.js';

onSharedSystems('the console', (system) => {
  async function setUp(): Promise<{ tenant: Tenant; page: PageSession }> {
    const tenant = await system().tenant();
    return { tenant, page: await PageSession.begin(system(), tenant.account) };
  }
  const record = (stream: EventStreamClient, event: string, fits: (data: any) => boolean = () => true): Promise<any> =>
    until(
      () => {
        const record = stream.records.findLast((one) => one.event === event);
        return record !== undefined && fits(record.data) ? { data: record.data } : null;
      },
      { what: `a record ${event} that fits` },
    ).then(({ data }) => data);

  it('adding, connecting and disconnecting a virtual robot reaches every page of the account, on any gateway', async () => {
    const { page } = await setUp();
    const [here, there] = [await page.live('', 0), await page.live('', 1)];
    assert.equal((await record(there, 'robots')).total, 0);
    const { robot, token } = (await page.ask('POST', 'robots', { virtual: true, name: 'Pip' })).body;
    for (const stream of [here, there]) await record(stream, 'robots', ({ robots }) => robots[0]?.id === robot.id && robots[0].online === false);
    const body = new VirtualRobot({ url: system().link(1), token });
    system().keep(body);
    await body.start();
    for (const stream of [here, there]) await record(stream, 'robots', ({ robots }) => robots[0].online === true && robots[0].model !== '');
    await body.stop();
    const { robots } = await record(there, 'robots', (data) => data.robots[0].online === false);
    assert.deepEqual([robots[0].name, robots[0].virtual, robots[0].battery_pct !== null], ['Pip', true, true]);
    assert.ok(Math.abs(Date.parse(robots[0].last_seen) - system().store.clock.now()) < 60_000);
  });

  it('the snapshot shows what the robot confirmed: bubble, head, LEDs, sound and card; after a move, another robot-link knows the card, and the rest once it is set again', async () => {
    const { tenant, page } = await setUp();
    const movable = await MovableRobot.start(tenant, { instant: true });
    const { id, robot } = movable;
    const api = tenant.api(1);
    const stream = await page.live(`?robot=${id}`);
    await record(stream, 'twin', ({ online }) => online === true);
    for (const [action, args] of [
      ['say', { text: 'Good morning', seconds: 30 }],
      ['move', { yaw: 30, pitch: 40 }],
      ['leds', { color: 'red' }],
      ['face', { emotion: 'happy' }],
    ] as const)
      assert.equal((await api.act(id, action, args)).status, 200, action);
    const all = await record(
      stream,
      'twin',
      (snapshot) => snapshot.bubble === 'Good morning' && snapshot.showing.emotion === 'happy' && snapshot.leds.pixels !== null,
    );
    assert.deepEqual([all.head.yaw, all.head.pitch], [30, 40]);
    assert.deepEqual(all.leds, { pixels: robot.leds.pixels, effect: null });
    assert.equal((await api.act(id, 'leds', { effect: 'blink', color: 'blue', seconds: 0 })).status, 200);
    await record(stream, 'twin', ({ leds }) => leds.effect?.name === 'blink');
    assert.equal((await api.act(id, 'show', { image: halves(320, 240, '#ff0000', '#0000ff') })).status, 200);
    const { showing } = await record(stream, 'twin', (snapshot) => snapshot.showing.card !== null);
    const shown = await page.bytes(`robots/${id}/screen?id=${showing.card}`);
    assert.deepEqual([shown.status, shown.bytes.equals(Buffer.from(robot.screen.card!.picture))], [200, true]);

    // The longest allowed sound: it must still play after the robot has moved.
    assert.equal((await api.act(id, 'sound', { notes: 'c4:30000' })).status, 200);
    await record(stream, 'twin', ({ sound }) => sound === true);
    await movable.moveTo(system().link(1));
    const after = await record(stream, 'twin', ({ online, bubble, leds }) => online === true && bubble === null && leds.pixels === null);
    assert.deepEqual([after.showing.card, after.leds.effect], [showing.card, null]);
    await record(stream, 'twin', ({ sound }) => sound === true);
    assert.equal((await api.act(id, 'stop')).status, 200);
    await record(stream, 'twin', ({ sound }) => sound === false);
    assert.equal((await api.act(id, 'show', { clear: true })).status, 200);
    await record(stream, 'twin', (snapshot) => snapshot.showing.card === null);
    assert.equal((await page.bytes(`robots/${id}/screen`)).status, 404);
    assert.equal((await api.act(id, 'leds', { color: 'green' })).status, 200);
    await record(stream, 'twin', ({ leds }) => leds.pixels !== null && leds.effect === null);
    assert.deepEqual(robot.violations, []);
  });

  it('the live stream delivers events of the robot as they happen', async () => {
    const { tenant, page } = await setUp();
    const { id, robot } = await tenant.robot({ instant: true });
    const stream = await page.live(`?robot=${id}`, 1);
    await record(stream, 'event', ({ name }) => name === 'connected');
    await robot.tap(100, 50);
    const { data } = await record(stream, 'event', ({ name }) => name === 'tap');
    assert.deepEqual([data.x, data.y], [100, 50]);
  });

  it('a new key works on every gateway, and revoking it rejects it and ends its open calls on every gateway within a second', async () => {
    const { tenant, page } = await setUp();
    const { id } = await tenant.robot();
    const made = (await page.ask('POST', 'keys', { name: 'laptop', robots: [id] })).body;
    const use = (gateway: number): Promise<Response> =>
      fetch(`${system().gateway(gateway)}/v1/robots/${id}/events?after=0`, { headers: { authorization: `Bearer ${made.api_key}` } });
    for (const gateway of [0, 1]) assert.equal((await use(gateway)).status, 200);
    const listed = (await page.ask('GET', 'keys', undefined, 1)).body.keys.find((key: { id: string }) => key.id === made.key.id);
    assert.notEqual(listed.last_used, null);
    const held = await fetch(`${system().gateway(1)}/v1/robots/${id}/events?seconds=50&names=shaken`, {
      headers: { authorization: `Bearer ${made.api_key}`, accept: 'text/event-stream' },
    });
    assert.equal((await page.ask('DELETE', `keys/${made.key.id}`)).status, 200);
    // After the response it is revoked on every instance at once.
    for (const gateway of [0, 1]) assert.equal((await use(gateway)).status, 401);
    assert.match(await held.text(), /event: end\n.*"code":"unauthorized"/s);
  });

  it('removing a robot disconnects it at once, and its token is rejected', async () => {
    const { tenant, page } = await setUp();
    const { id, token, robot } = await tenant.robot();
    const stream = await page.live('', 1);
    await record(stream, 'robots', ({ robots }) => robots[0]?.online === true);
    assert.equal((await page.ask('DELETE', `robots/${id}`)).status, 200);
    await robot.until(({ lastClosed }) => lastClosed?.code === 4003);
    await record(stream, 'robots', ({ total }) => total === 0);
    assert.equal((await tenant.api(1).get(`/v1/robots/${id}`)).status, 404);
    await assert.rejects(tenant.again(token));
  });

  it('a new token of a virtual robot invalidates the one before', async () => {
    const { tenant, page } = await setUp();
    const { robot, token } = (await page.ask('POST', 'robots', { virtual: true })).body;
    const before = await tenant.again(token);
    const renewed = (await page.ask('POST', `robots/${robot.id}/token`, {})).body.token;
    await before.until(({ lastClosed }) => lastClosed?.code === 4003);
    await assert.rejects(tenant.again(token));
    await tenant.again(renewed, {}, 1);
  });

  it('a robot that shows a code is added with it on the page that the code leads to', async () => {
    const { tenant, page } = await setUp();
    const stream = await page.live('', 1);
    const link = system().link(1);
    let added: any;
    const paired = await pair(link.replace(/^ws/, 'http').replace('/robot/v1/link', ''), {
      serial: randomUUID(),
      paceFactor: 0.9,
      onCode: ({ userCode, verificationUri }) => {
        assert.match(verificationUri, /^http:\/\/127\.0\.0\.1:\d+\/pair$/);
        void page.ask('POST', 'robots', { code: userCode, name: 'Body' }).then(({ body }) => (added = body));
      },
    });
    await until(() => added !== undefined);
    assert.deepEqual([added.robot.id, added.robot.name, added.robot.virtual, added.token], [paired.robotId, 'Body', false, undefined]);
    await tenant.again(paired.token);
    await record(stream, 'robots', ({ robots }) => robots[0]?.id === paired.robotId && robots[0].online);
  });

  it('another account sees nothing of a robot on any gateway: not in its list, stream or keys, nor by name', async () => {
    const [{ tenant, page }, { page: stranger }] = [await setUp(), await setUp()];
    const { id, robot } = await tenant.robot({ instant: true });
    const { key } = (await page.ask('POST', 'keys', { name: 'x', robots: '*' })).body;
    const streams = [await stranger.live('', 0), await stranger.live('', 1)];
    const mine = await page.live(`?robot=${id}`);
    await robot.tap(1, 1);
    await record(mine, 'event', ({ name }) => name === 'tap');
    await page.ask('PATCH', `robots/${id}`, { name: 'secret name' });
    await record(mine, 'robots', ({ robots }) => robots[0].name === 'secret name');
    for (const gateway of [0, 1]) {
      for (const [method, path, body] of [
        ['GET', `live?robot=${id}`],
        ['GET', `robots/${id}/screen`],
        ['PATCH', `robots/${id}`, { name: 'mine' }],
        ['POST', `robots/${id}/token`, {}],
        ['DELETE', `robots/${id}`],
        ['GET', `v1/robots/${id}`],
        ['POST', `v1/robots/${id}/face`, { emotion: 'angry' }],
        ['DELETE', `keys/${key.id}`],
      ] as const)
        assert.equal((await stranger.ask(method, path, body, gateway)).status, 404, `${method} ${path}`);
      for (const path of ['robots', 'keys', 'v1/robots', 'v1/webhooks']) {
        const seen = JSON.stringify((await stranger.ask('GET', path, undefined, gateway)).body);
        assert.ok(!seen.includes(id) && !seen.includes(key.id) && !seen.includes('secret name'), seen);
      }
    }
    for (const stream of streams) assert.deepEqual((await record(stream, 'robots')).robots, []);
    assert.equal((await page.ask('GET', 'robots')).body.robots[0].name, 'secret name');
  });

  it('ending a session closes its streams on every gateway within about a second', async () => {
    const { page } = await setUp();
    const streams = [await page.live('', 0), await page.live('', 1)];
    for (const stream of streams) await record(stream, 'robots');
    await system().store.sessions.end(page.account, page.keyHash);
    for (const stream of streams) {
      assert.equal(await stream.closed, true);
      assert.equal(stream.records.at(-1)?.data.code, 'signed_out');
    }
    assert.equal((await page.ask('GET', 'robots', undefined, 1)).status, 401);
  });

  it('a webhook can be created and tested on the page', async () => {
    const { page } = await setUp();
    const { webhook } = (await page.ask('POST', 'v1/webhooks', { url: 'https://example.com/perch' })).body;
    assert.equal((await page.ask('POST', `v1/webhooks/${webhook.id}/test`, {}, 1)).body.delivery.type, 'test');
    assert.equal((await page.ask('DELETE', `v1/webhooks/${webhook.id}`)).status, 200);
  });

  it('the built page is served with a strict content security policy, its parts are cached for ever, and unknown paths stay JSON', async () => {
    for (const gateway of [0, 1]) {
      const base = system().gateway(gateway);
      const page = await fetch(`${base}/robots`);
      const html = await page.text();
      assert.deepEqual(
        [page.status, page.headers.get('content-type'), page.headers.get('cache-control')],
        [200, 'text/html; charset=utf-8', 'no-cache'],
      );
      const policy = page.headers.get('content-security-policy')!;
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
      assert.ok(
        system().cluster.links.every(({ address }) => /connect-src ([^;]+)/.exec(policy)![1]!.split(' ').includes(new URL(address).origin)),
        policy,
      );
      assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|\son\w+=|\bhttps?:\/\//);
      const parts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
      assert.ok(parts.length > 0, html);
      for (const path of parts) {
        const part = await fetch(base + path);
        assert.deepEqual([part.status, part.headers.get('cache-control')], [200, 'public, max-age=31536000, immutable'], path);
        await part.arrayBuffer();
      }
      for (const path of ['/v2/robots', '/v1x', '/robot', '/assets/none.js', '/console/nothing']) {
        const nothing = await fetch(base + path);
        assert.deepEqual([nothing.status, ((await nothing.json()) as { code: string }).code], [404, 'not_found'], path);
      }
    }
  });
});
