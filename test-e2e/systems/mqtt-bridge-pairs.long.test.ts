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
