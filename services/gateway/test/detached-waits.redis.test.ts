import assert from 'node:assert/strict';
import { limits, type RobotEvent, type WaitRecord } from '@perch/schema';
import { waitId } from '@perch/store';
import { until } from '@perch/testkit';
import { question } from './open-wait.js';
import { GatewayUnderTest, useGateway, useOwner, type Answer } from './gateway-under-test.js';

const tap = { outcome: 'answered', index: 1, x: 200, y: 180 } as const;
const pendingFields = { ok: true, outcome: 'pending', timed_out: false, replaced: false, robot_away: false };

describe('waits that outlive their calls', () => {
  const system = useGateway();
  const other = useGateway();
  const owner = useOwner(system);

  async function asked(args: object = {}, action = 'ask', from = system): Promise<{ wait: string; record: WaitRecord; body: any }> {
    const { status, body } = await from.act(owner, action, { ...(action === 'ask' ? question : {}), detach: true, ...args });
    assert.equal(status, 200, JSON.stringify(body));
    return { wait: body.wait, record: system.link.waits.at(-1)!, body };
  }

  const read = (wait: string, seconds = 0, from = other, apiKey = owner.apiKey): Promise<Answer> =>
    from.ask('GET', `/v1/waits/${wait}?seconds=${seconds}`, { apiKey });

  async function ends(): Promise<RobotEvent['data'][]> {
    const { events } = await system.store.events.read(owner.robot, {});
    return events.filter(({ name }) => name === 'answered').map(({ data }) => data);
  }
  const ended = (count = 1): Promise<unknown> => until(async () => (await ends()).length >= count, { what: 'the event' });

  it('ask with detach answers at once, and every gateway reads the tap, which is one event', async () => {
    const { wait, record, body } = await asked();
    assert.match(wait, new RegExp(`^${waitId(owner.robot, record)}-[0-9a-z]{16}$`));
    assert.deepEqual(body, { ...pendingFields, wait, answer: null, index: null });
    await system.untilHolds(0, 'wait');
    const open = { ...pendingFields, wait, robot: owner.robot, action: 'ask', answer: null, index: null };
    assert.deepEqual((await read(wait)).body, open);
    const waiting = read(wait, 20);
    await system.link.settle(owner.robot, record, tap);
    const answered = { ...open, outcome: 'answered', answer: 'No', index: 1 };
    assert.deepEqual((await waiting).body, answered);
    assert.deepEqual((await read(wait, 20, system)).body, answered, 'kept');
    await ended();
    for (const from of [system, other]) await from.store.detachedWaits.report(owner.robot, record.number);
    assert.deepEqual(await ends(), [{ wait, action: 'ask', outcome: 'answered', answer: 'No', index: 1 }]);
    const left = await system.store.connections.commands.pttl(`perch:{${owner.robot}}:wait:${record.number}`);
    assert.ok(left > 3_590_000 && left <= 3_600_000, `${left} ms`);
  });

  it('menu and clickmap with detach answer with the fields of their action', async () => {
    const menu = await asked({ items: ['Soup', { id: 'p', label: 'Pizza' }] }, 'menu');
    await system.link.settle(owner.robot, menu.record, tap);
    const { item, label, index } = (await read(menu.wait)).body;
    assert.deepEqual([item, label, index], ['p', 'Pizza', 1]);
    const map = await asked(
      {
        regions: [
          { id: 'left', rect: [0, 0, 160, 240] },
          { id: 'right', rect: [160, 0, 160, 240] },
        ],
      },
      'clickmap',
    );
    await system.link.settle(owner.robot, map.record, tap);
    const { region, x, y } = (await read(map.wait)).body;
    assert.deepEqual([region, x, y], ['right', 200, 180]);
    await ended(2);
    assert.deepEqual(
      (await ends()).map(({ action }: any) => action),
      ['menu', 'clickmap'],
    );
  });

  it('a read waits no longer than its seconds, at most 60, and then answers pending', async () => {
    const { wait } = await asked();
    const since = performance.now();
    assert.equal((await read(wait, 0.5)).body.outcome, 'pending');
    assert.ok(performance.now() - since >= 500);
    for (const seconds of ['61', '-1', 'x', '']) {
      const { status, body } = await other.ask('GET', `/v1/waits/${wait}?seconds=${seconds}`, { apiKey: owner.apiKey });
      assert.deepEqual([status, body.field], [400, 'seconds'], seconds);
    }
  });

  it('a newer question replaces it, and a stop, at any gateway: both are events', async () => {
    const first = await asked();
    const second = await asked({}, 'ask', other);
    assert.equal((await read(first.wait)).body.outcome, 'replaced');
    assert.equal((await other.act(owner, 'stop')).status, 200);
    const { outcome, replaced } = (await read(second.wait, 0, system)).body;
    assert.deepEqual([outcome, replaced], ['replaced', true]);
    await ended(2);
    assert.deepEqual(
      (await ends()).map(({ wait, outcome: how }: any) => [wait, how]),
      [
        [first.wait, 'replaced'],
        [second.wait, 'replaced'],
      ],
    );
  });

  it('DELETE takes the question off the screen, ends reads of it, and deletes it', async () => {
    const { wait, record } = await asked();
    const waiting = read(wait, 20);
    const remove = (): Promise<Answer> => other.ask('DELETE', `/v1/waits/${wait}`, { apiKey: owner.apiKey });
    assert.deepEqual((await remove()).body, { ok: true });
    assert.equal((await waiting).status, 404);
    assert.equal((await read(wait)).status, 404);
    assert.equal((await remove()).status, 404);
    await until(() => system.link.waitEnds.includes(record.number), { what: 'the robot-link to be told' });
    assert.deepEqual(await ends(), [{ wait, action: 'ask', outcome: 'cancelled', answer: null, index: null }]);
  });

  it('an unknown wait, one of another account and one that is held by its call are the same 404', async () => {
    const { wait } = await asked();
    const foreign = await system.ownerOnline();
    const held = system.act(foreign, 'ask', question);
    await until(() => system.link.waits.length === 2);
    const heldId = waitId(foreign.robot, system.link.waits.at(-1)!);
    const cases: [string, string][] = [
      [wait, foreign.apiKey],
      [heldId, foreign.apiKey],
      [heldId, owner.apiKey],
      ['wt-0000000000-mb1x2k9q', owner.apiKey],
      [waitId(owner.robot, { number: 1 }), owner.apiKey],
      [wait.slice(0, -17), owner.apiKey],
      [`${wait.slice(0, -1)}${wait.endsWith('0') ? '1' : '0'}`, owner.apiKey],
      ['nothing', owner.apiKey],
      [`${wait}%20`, owner.apiKey],
    ];
    for (const method of ['GET', 'DELETE']) {
      for (const [id, apiKey] of cases) {
        const { status, body } = await other.ask(method, `/v1/waits/${id}`, { apiKey, headers: { 'x-request-id': 'the-same' } });
        assert.deepEqual(
          [status, body.code, body.error],
          [404, 'not_found', 'There is no such wait for this key: it never was, another key asked it, its hour is over, or it was taken away.'],
          id,
        );
      }
    }
    const { apiKey } = await system.store.apiKeys.create({ account: owner.account, scopes: ['read'] });
    assert.equal((await read(wait, 0, other, apiKey)).status, 403, 'a key that may not ask');
    await system.link.settle(foreign.robot, system.link.waits.at(-1)!, tap);
    await held;
  });

  it('its time-out may be a day, which a question without detach may not have, and its texts have a limit', async () => {
    const { record } = await asked({ timeout_s: 86_400 });
    assert.equal(record.timeoutMs, 86_400_000);
    const long = 'x'.repeat(limits.wait.choicesBytesMax);
    const cases: [object, string][] = [
      [{ timeout_s: 86_401, detach: true }, 'timeout_s'],
      [{ timeout_s: 120.5 }, 'timeout_s'],
      [{ timeout_s: 121, detach: false }, 'timeout_s'],
      [{ answers: [long, 'b'], detach: true }, 'answers'],
      [{ detach: 'yes' }, 'detach'],
    ];
    for (const [args, field] of cases) {
      const { status, body } = await system.act(owner, 'ask', { ...question, ...args });
      assert.deepEqual([status, body.field], [400, field], JSON.stringify(args).slice(0, 80));
    }
  });

  it('its time-out comes though the gateway that asked has stopped and the robot is away', async () => {
    const third = await GatewayUnderTest.start();
    const { wait, record } = await asked({ timeout_s: 2 }, 'ask', third);
    await third.stop();
    await system.link.release(owner.robot, 'away');
    const { body } = await read(wait, 20);
    assert.deepEqual([body.outcome, body.timed_out, body.robot_away], ['timed_out', true, true]);
    const state = await system.store.waits.read(owner.robot, record.number);
    assert.ok(state!.armed!.deadline <= system.store.clock.now());
    await ended();
    assert.deepEqual(await ends(), [{ wait, action: 'ask', outcome: 'timed_out', answer: null, index: null }]);
  });

  it('a gateway reports an end that the instance which stored it did not', async () => {
    const { wait, record } = await asked({ timeout_s: 30 });
    const { connections } = system.store;
    await connections.commands.hset(`perch:{${owner.robot}}:wait:${record.number}`, 'outcome', JSON.stringify(tap));
    await connections.commands.zadd('perch:{detached-waits}', 1, `${owner.robot} ${record.number}`);
    await ended();
    assert.deepEqual(await ends(), [{ wait, action: 'ask', outcome: 'answered', answer: 'No', index: 1 }]);
    await until(async () => (await connections.commands.zscore('perch:{detached-waits}', `${owner.robot} ${record.number}`)) === null);
  });

  it('the last 50 of a robot are kept, and a removed robot keeps none', async () => {
    const { waits } = system.store;
    const first = await asked();
    for (let i = 0; i < limits.wait.detachedKept; i++) {
      const number = (await waits.number(owner.robot))!;
      const record = { ...first.record, number };
      await waits.open(owner.robot, record);
      await waits.detach(owner.robot, record, { account: owner.account, choices: [] });
    }
    const numbers = await waits.detachedNumbers(owner.robot);
    assert.equal(numbers.length, limits.wait.detachedKept);
    assert.equal((await read(first.wait)).status, 404);
    await system.store.robots.remove(owner.account, owner.robot);
    assert.deepEqual(await waits.detachedNumbers(owner.robot), []);
    assert.equal(await waits.read(owner.robot, numbers.at(-1)!), null);
  });

  it('a call under an Idempotency-Key that asked with detach is answered again with the same wait', async () => {
    const headers = { 'idempotency-key': 'tonight' };
    const ask = (from: GatewayUnderTest): Promise<Answer> =>
      from.ask('POST', `/v1/robots/${owner.robot}/ask`, { apiKey: owner.apiKey, body: { ...question, detach: true }, headers });
    const first = await ask(system);
    assert.equal(first.body.outcome, 'pending');
    assert.deepEqual((await ask(other)).body, first.body);
    assert.equal(system.link.waits.length, 1);
  });
});
