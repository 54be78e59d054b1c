/** Two bridges of one robot, with different keys or client ids: one serves it, the other waits. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { connectAsync, type MqttClient } from 'mqtt';
import { onMqttBridges, patient } from '../fixture/system/mqtt-bridges.js';

onMqttBridges('two MQTT bridges of one robot', (at) => {
  const { startBridge, own, device, command, eventsOf, online, ready } = at;
  const waits = 'another bridge serves robots of this key';
  const saysItWaits = (bridge: { lines: string[] }): Promise<unknown> => until(() => bridge.lines.find((line) => line.includes(waits)), patient);
  const robotKey = async (robots?: string[]): Promise<string> => {
    const { apiKey } = await at.system.store.apiKeys.create({ account: at.tenant.account, name: 'Another', ...(robots !== undefined && { robots }) });
    return apiKey;
  };
  const statusIn = async (id: string): Promise<string> => (await at.home.json(device(id))).availability[0].topic;
  const claimOf = (id: string): string => at.home.retained.get(own(id, 'claim')) ?? '';

  it('the second says so and waits: each command is done once, and each event comes once', async () => {
    const { id, robot } = await at.tenant.robot();
    const first = await startBridge();
    await online(id);
    await ready(first);
    const status = await statusIn(id);
    const second = await startBridge({ PERCH_API_KEY: await robotKey() });
    await saysItWaits(second);
    await ready(second);
    await command(id, 'face', 'happy');
    await robot.until(({ face }) => face.emotion === 'happy', patient);
    await robot.pat();
    await robot.tap(10, 10);
    await until(() => eventsOf(id).some(({ trigger }) => trigger === 'tap'), patient);
    assert.deepEqual(
      eventsOf(id).map(({ trigger }) => trigger),
      ['pat', 'tap'],
    );
    assert.equal(robot.commands.filter(({ name }) => name.startsWith('face')).length, 1);
    assert.equal(await statusIn(id), status);
    assert.equal(
      first.lines.some((line) => line.includes(waits)),
      false,
    );
  });

  it('the second takes over within 30 s when the first dies, and its status is then that of the robot; the first waits when it comes back', async () => {
    const { id, robot } = await at.tenant.robot();
    const first = await startBridge();
    await online(id);
    await ready(first);
    const status = await statusIn(id);
    await command(id, 'ask', '{"id":"before","question":"Let them in?","answers":["Open","Wait"]}');
    await robot.until(({ screen }) => screen.question !== null, patient);
    await at.home.json(own(id, 'questions'), (questions) => Object.keys(questions).length === 1);
    const second = await startBridge({ PERCH_API_KEY: await robotKey() });
    await saysItWaits(second);

    const killedAt = performance.now();
    first.signal('SIGKILL');
    await at.home.json(device(id), ({ availability }) => availability[0].topic !== status);
    assert.ok(performance.now() - killedAt < 30_000);
    await at.home.text(await statusIn(id), 'online');
    await online(id);
    // The question of the first is still one of the bridges'.
    await until(
      async () => {
        await robot.tap(60, 170);
        return eventsOf(id).some(({ trigger, id: asked }) => trigger === 'answered_answer_1' && asked === 'before');
      },
      { ...patient, everyMs: 500 },
    );
    const back = await startBridge();
    await saysItWaits(back);
    await command(id, 'face', 'sad');
    await robot.until(({ face }) => face.emotion === 'sad', patient);
    assert.equal(robot.commands.filter(({ name }) => name.startsWith('face')).length, 1);
    assert.notEqual(await statusIn(id), status);
  });

  it('the robots of a key that is revoked are left at once to the bridge that waits, and nothing of them is removed', async () => {
    const { id, robot } = await at.tenant.robot();
    const kept = await at.tenant.robot();
    const { apiKey, id: keyId } = await at.system.store.apiKeys.create({
      account: at.tenant.account,
      name: 'First',
      robots: [id, kept.id],
    });
    const first = await startBridge({ PERCH_API_KEY: apiKey });
    await Promise.all([online(id), online(kept.id)]);
    await ready(first);
    const status = await statusIn(id);
    const second = await startBridge();
    await saysItWaits(second);
    await until(() => [...at.home.retained].some(([topic, payload]) => topic.includes('/waiting/') && payload.includes(id)), patient);
    const announced = at.home.messages.length;
    await at.system.store.apiKeys.revoke(at.tenant.account, keyId);
    for (const each of [id, kept.id]) await at.home.json(device(each), ({ availability }) => availability[0].topic !== status);
    assert.deepEqual(
      at.home.messages.slice(announced).filter(({ topic, payload }) => topic === device(id) && payload === ''),
      [],
    );
    await online(id);
    await command(id, 'face', 'sad');
    await robot.until(({ face }) => face.emotion === 'sad', patient);
  });

  it('a new secret of the key goes on with the robots, entities and questions of the former, of which nothing is left', async () => {
    const { id, robot } = await at.tenant.robot();
    const other = await at.tenant.robot();
    const first = await startBridge();
    await Promise.all([online(id), online(other.id)]);
    const before = await at.home.json(device(id));
    const [formerKey] = before.availability[0].topic.split('/').slice(-2) as [string];
    await ready(first);
    await command(id, 'light', { state: 'ON', color: { r: 255, g: 0, b: 0 } });
    await at.home.json(own(id, 'light'), ({ state }) => state === 'ON');
    await command(id, 'ask', '{"id":"before","question":"Let them in?","answers":["Open","Wait"]}');
    await at.home.json(own(id, 'questions'), (questions) => Object.keys(questions).length === 1);
    const sent = at.home.messages.length;

    const rolled = await at.system.store.keyRotation.roll(at.tenant.account, at.tenant.keyId, 3_600_000);
    assert.ok(typeof rolled === 'object' && rolled !== null);
    await first.stop();
    const second = await startBridge({ PERCH_API_KEY: rolled.apiKey });
    await ready(second);
    const after = await at.home.json(device(id), ({ availability }) => availability[0].topic !== before.availability[0].topic);
    await at.home.text(after.availability[0].topic, 'online');
    await Promise.all([online(id), online(other.id)]);
    await until(() => [...at.home.retained.keys()].every((topic) => !topic.includes(formerKey)), patient);
    const entities = ({ components }: { components: Record<string, { unique_id?: string }> }): unknown[] =>
      Object.entries(components).map(([key, { unique_id: unique }]) => [key, unique]);
    assert.deepEqual(entities(after), entities(before));
    assert.deepEqual(after.device, before.device);
    assert.deepEqual(
      at.home.messages.slice(sent).filter(({ topic, payload }) => topic.endsWith('/config') && payload === ''),
      [],
    );
    await command(id, 'light', { state: 'ON', brightness: 50 });
    assert.deepEqual((await at.home.json(own(id, 'light'), ({ brightness }) => brightness === 50)).color, { r: 255, g: 0, b: 0 });
    await until(
      async () => {
        await robot.tap(60, 170);
        return eventsOf(id).some(({ trigger, id: asked }) => trigger === 'answered_answer_1' && asked === 'before');
      },
      { ...patient, everyMs: 500 },
    );
  });

  it('a bridge that hangs is replaced within 30 s, and when it goes on it does no command and takes nothing back', async () => {
    const { id, robot } = await at.tenant.robot();
    const first = await startBridge();
    await online(id);
    await ready(first);
    const second = await startBridge({ PERCH_API_KEY: await robotKey() });
    await saysItWaits(second);
    const claim = claimOf(id);
    const pausedAt = performance.now();
    first.signal('SIGSTOP');
    await until(() => claimOf(id) !== claim, patient);
    assert.ok(performance.now() - pausedAt < 30_000);
    await command(id, 'face', 'sad');
    await robot.until(({ face }) => face.emotion === 'sad', patient);
    first.signal('SIGCONT');
    await saysItWaits(first);
    await command(id, 'face', 'happy');
    await robot.until(({ face }) => face.emotion === 'happy', patient);
    await ready(first);
    assert.equal(robot.commands.filter(({ name }) => name.startsWith('face')).length, 2);
    await online(id);
    await at.home.text(await statusIn(id), 'online');
    await until(
      () => [...at.home.retained].filter(([topic, payload]) => topic.startsWith('perch/bridges/') && payload === 'online').length >= 2,
      patient,
    );
  });

  it('with one key and two client ids, too', async () => {
    const { id, robot } = await at.tenant.robot();
    await startBridge();
    await online(id);
    const second = await startBridge({ PERCH_MQTT_CLIENT_ID: 'another' });
    await saysItWaits(second);
    await command(id, 'face', 'sad');
    await robot.until(({ face }) => face.emotion === 'sad', patient);
    assert.equal(robot.commands.filter(({ name }) => name.startsWith('face')).length, 1);
  });

  describe('beside a bridge of 0.10.0, which knows no claims', () => {
    let old: MqttClient;
    // Topics and payloads of 0.10.0's services/mqtt-bridge/src/topics.ts, broker/claim.ts and robots/robot-fleet.ts.
    const publish = (topic: string, payload: string): Promise<unknown> => old.publishAsync(`perch/${topic}`, payload, { qos: 1, retain: true });
    const startOld = async (robots: string[]): Promise<void> => {
      await publish('claims/oldkey/perch-oldkey', '{"number":1,"instance":"a"}');
      await publish('bridges/oldkey/perch-oldkey', 'online');
      await publish('published/oldkey', JSON.stringify(robots));
    };
    beforeEach(async () => {
      old = await connectAsync(at.broker.url, { protocolVersion: 5, username: 'bridge', password: 'secret-of-the-broker' });
    });
    afterEach(async () => {
      for (const topic of ['claims/oldkey/perch-oldkey', 'bridges/oldkey/perch-oldkey', 'published/oldkey']) await publish(topic, '');
      await old.endAsync();
    });

    it('it leaves the robots to that one, names it, and takes them over within 30 s when it stops', async () => {
      const { id, robot } = await at.tenant.robot();
      await startOld([id]);
      const bridge = await startBridge();
      await until(() => bridge.lines.find((line) => line.includes('a bridge of Perch 0.10')), patient);
      await ready(bridge);
      assert.deepEqual([at.home.retained.has(device(id)), claimOf(id)], [false, '']);
      await publish('bridges/oldkey/perch-oldkey', 'offline');
      await online(id);
      await command(id, 'face', 'sad');
      await robot.until(({ face }) => face.emotion === 'sad', patient);
    });

    it('it gives up the robots that it served when that one starts, so that no command is done twice', async () => {
      const { id } = await at.tenant.robot();
      const other = await at.tenant.robot();
      const bridge = await startBridge();
      await Promise.all([online(id), online(other.id)]);
      await ready(bridge);
      await startOld([id]);
      await until(() => bridge.lines.find((line) => line.includes('a bridge of Perch 0.10')), patient);
      await until(() => claimOf(id) === '', patient);
      await command(id, 'face', 'sad');
      await command(other.id, 'face', 'sad');
      await other.robot.until(({ face }) => face.emotion === 'sad', patient);
      await at.home.json(own(other.id, 'state'), ({ emotion }) => emotion === 'sad');
      assert.notEqual(claimOf(other.id), '');
      assert.ok(at.home.retained.has(device(id)));
    });
  });
});
