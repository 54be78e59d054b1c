import assert from 'node:assert/strict';
import { defaultCommands } from '@perch/virtual-robot';
import { bounds, queries, wholeScreen, type Args } from '../fixture/interface/bounds/index.js';
import { repeatUntilSettled } from '../fixture/repeat-until-settled.js';
import { halves, picture } from '../fixture/media/pictures.js';
import type { CheckedApi } from '../fixture/interface/published.js';
import { checkedApi, onSharedSystems } from '../fixture/system/shared-systems.js';
import type { Tenant } from '../fixture/system/system-under-test.js';

onSharedSystems('bounds', (system) => {
  /** Makes a new key every 25 calls, since a bucket holds 30, and alternates between the gateways. */
  async function keyRing(tenant: Tenant): Promise<() => Promise<CheckedApi>> {
    let used = 0;
    let api = await checkedApi(tenant);
    return async () => {
      used++;
      if (used % 25 === 0) api = await checkedApi(tenant, used / 25, (await system().store.apiKeys.create({ account: tenant.account })).apiKey);
      return api;
    };
  }

  for (const { action, inside, outside } of bounds) {
    it(`${action}: a value just inside each bound is accepted, one just outside gets 400 with the argument's name (${Object.keys(inside[0]!).join(', ') || 'nothing'} ...)`, async () => {
      const tenant = await system().tenant();
      const { id, robot } = await tenant.robot({
        commands: [...defaultCommands, { name: 'anything', description: 'Takes all', class: 'program', args: { type: 'object' } }],
      });
      const next = await keyRing(tenant);
      for (const args of inside) {
        if (action === 'say') await (await next()).act(id, 'show', { clear: true });
        const { status, body } = await (await next()).act(id, action, args);
        assert.equal(status, 200, `${shortened(args)} -> ${JSON.stringify(body)}`);
      }
      // The last question may not have been removed from the screen yet.
      await robot.until((r) => r.screen.question === null);
      const before = robot.commands.length;
      for (const [args, field] of outside) {
        const { status, body } = await (await next()).act(id, action, args);
        assert.deepEqual([status, body.field], [400, field], `${shortened(args)} -> ${JSON.stringify(body)}`);
        if (field !== undefined) assert.ok(body.error.startsWith(field.replace(/\[\d+\]$/, '')), `${field}: ${body.error}`);
      }
      assert.equal(robot.commands.length, before, 'what is refused does not reach the robot');
      assert.deepEqual(robot.violations, []);
    });
  }

  it('seconds and timeout_s accept any fraction above 0', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    for (const seconds of [0.07, 1 / 30, 0.0123456789, 1e-9, Number.MIN_VALUE]) {
      const { body } = await api.act(id, 'ask', { question: 'Q', answers: ['a', 'b'], timeout_s: seconds });
      assert.equal(body.outcome, 'timed_out', `${seconds}: ${JSON.stringify(body)}`);
      assert.equal((await api.act(id, 'clickmap', { regions: [{ id: 'r', rect: wholeScreen }], timeout_s: seconds })).body.outcome, 'timed_out');
      assert.equal((await api.act(id, 'say', { text: 'x', seconds })).status, 200);
      assert.equal((await api.act(id, 'leds', { effect: 'blink', seconds })).status, 200);
      assert.equal((await api.act(id, 'events', { seconds, after: 1 })).status, 200);
    }
    assert.deepEqual(robot.violations, []);
  });

  it('timeout_s accepts 120 s, and an ask without it waits 30 s', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot();
    const api = await checkedApi(tenant);
    for (const [action, args] of [
      ['ask', { question: 'Q', answers: ['a', 'b'] }],
      ['menu', { items: ['a', 'b'] }],
      ['clickmap', { regions: [{ id: 'r', rect: wholeScreen }] }],
    ] as const) {
      for (const timeout of [{ timeout_s: 120 }, {}]) {
        const call = api.act(id, action, { ...args, ...timeout });
        const { status, body } = await repeatUntilSettled(call, () => robot.tap(60, 170));
        assert.deepEqual([status, body.outcome], [200, 'answered']);
      }
    }
  });

  it("events by GET: a value just inside each bound is accepted, one just outside gets 400 with the argument's name", async () => {
    const tenant = await system().tenant();
    const { id } = await tenant.robot();
    const next = await keyRing(tenant);
    for (const query of queries.inside) assert.equal((await (await next()).get(`/v1/robots/${id}/events${query}`)).status, 200, query);
    for (const [query, field] of queries.outside) {
      const { status, body } = await (await next()).get(`/v1/robots/${id}/events${query}`);
      assert.deepEqual([status, body.field], [400, field], `${query}: ${JSON.stringify(body)}`);
    }
  });

  it('a picture of 4096 by 4096 pixels is shown, in no more bytes than the robot accepts', async () => {
    const tenant = await system().tenant();
    const { id, robot } = await tenant.robot({ screen: { formats: ['jpeg'], max_bytes: 20_000 } });
    const api = await checkedApi(tenant);
    assert.equal((await api.act(id, 'show', { image: halves(4096, 4096, '#ff0000', '#0000ff') })).status, 200);
    const noise = picture(320, 240, (context) => {
      for (let i = 0; i < 20_000; i++) {
        context.fillStyle = `hsl(${(i * 137) % 360} 100% 50%)`;
        context.fillRect((i * 7919) % 320, (i * 104_729) % 240, 3, 3);
      }
    });
    assert.equal((await api.act(id, 'show', { image: noise })).status, 200);
    assert.ok(robot.screen.card!.bytes <= 20_000 && robot.screen.card!.format === 'jpeg');
    assert.deepEqual(robot.violations, []);
  });
});

function shortened(args: Args): string {
  return JSON.stringify(args).slice(0, 200);
}
