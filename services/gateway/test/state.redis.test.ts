import assert from 'node:assert/strict';
import { callsOf, useGateway, useOwner } from './gateway-under-test.js';

describe('actions', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const { ok } = callsOf(system, owner);

  describe('state', () => {
    it('state answers the state of the robot-link, the same for GET and POST', async () => {
      const { body } = await system.ask('GET', `/v1/robots/${owner.robot}`, { apiKey: owner.apiKey });
      assert.deepEqual(Object.keys(body), [
        'ok',
        'id',
        'name',
        'online',
        'model',
        'firmware',
        'features',
        'commands',
        'labels',
        'readings',
        'readings_at',
        'showing',
        'volume_max',
        'quiet_hours',
        'update',
        'events',
        'last_seq',
      ]);
      assert.equal(body.online, true);
      assert.deepEqual(body.readings, { battery_pct: 81 });
      assert.equal(body.readings_at, new Date(1_790_000_000_000).toISOString());
      assert.equal(body.showing.emotion, 'happy');
      assert.deepEqual(
        body.commands.map((command: { name: string }) => command.name),
        ['brightness', 'sticker'],
        'neither system ones nor excluded ones',
      );
      assert.deepEqual(await ok('state', { anything: 'ignored' }), body);
    });

    it('state answers the copy in Redis within a second when the robot-link does not reply, and when the robot is away', async () => {
      const { state } = system.link;
      await system.link.store.leases.save(owner.robot, system.link.sessionOf(owner.robot), { ...state!, readings: { battery_pct: 12 } });
      system.link.state = null;
      try {
        const before = performance.now();
        const body = await ok('state', {});
        assert.ok(performance.now() - before < 3000);
        assert.deepEqual([body.online, body.readings], [true, { battery_pct: 12 }]);
      } finally {
        system.link.state = state;
      }
      await system.link.release(owner.robot, 'away');
      const away = await ok('state', {});
      assert.equal(away.online, false);
      assert.deepEqual(away.readings, { battery_pct: 81 });
    });

    it('state is empty, not an error, for a robot that never connected', async () => {
      const never = await system.owner();
      const { status, body } = await system.act(never, 'state');
      assert.equal(status, 200);
      assert.deepEqual([body.online, body.model, body.readings, body.readings_at, body.events, body.last_seq], [false, '', {}, null, [], 0]);
      assert.equal('features' in body, false);
    });
  });

  it('lists robots ascending by id with their online status', async () => {
    const { robot } = await system.store.robots.create({ account: owner.account });
    const { body } = await system.ask('GET', '/v1/robots', { apiKey: owner.apiKey });
    assert.deepEqual(
      body.robots.map(({ id, online, model }: any) => [id, online, model]),
      [
        [owner.robot, true, 'stackchan-k151'],
        [robot, false, ''],
      ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    );
  });
});
