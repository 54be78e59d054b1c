/** The MQTT bridge with as many robots as an account has, most of them offline. */
import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { onMqttBridges } from '../fixture/system/mqtt-bridges.js';

const count = 200;
const connected = 5;

onMqttBridges('the MQTT bridge with 200 robots', (at) => {
  const { startBridge, own, device, command, online } = at;

  it('takes the commands of each robot that is online, sends everything again in pieces, and tells an outage within 15 s', async () => {
    const robots = await Promise.all(Array.from({ length: count }, (_, i) => (i < connected ? at.tenant.robot() : at.tenant.offlineRobot())));
    const present = robots.slice(0, connected);
    const bridge = await startBridge({ PERCH_MQTT_POLL_MS: '10000' });
    const status = await until(() => [...at.home.retained].find(([topic, payload]) => topic.startsWith('perch/bridges/') && payload === 'online'), {
      timeoutMs: 60_000,
    });
    assert.equal(status[1], 'online');
    // At once, though the states of most robots are not read yet.
    await Promise.all(present.map(({ id }) => online(id)));
    await Promise.all(present.map(({ id }) => command(id, 'face', 'happy')));
    await Promise.all(present.map(({ robot }) => robot.until(({ face }) => face.emotion === 'happy', { timeoutMs: 60_000 })));
    assert.ok([...at.home.retained.keys()].filter((topic) => topic.endsWith('/config')).length < count, 'the states of all robots were read');

    await until(() => robots.every(({ id }) => at.home.retained.has(device(id))), { timeoutMs: 180_000 });
    const before = at.home.messages.length;
    const announced = (): string[] => at.home.messages.slice(before).flatMap(({ topic }) => (topic.endsWith('/config') ? [topic] : []));
    await at.home.publish('homeassistant/status', 'online');
    await until(() => announced().length > 0);
    const beganAt = performance.now();
    // Reported of others: nilvanis/libmbus2mqtt#3 (one device alone is announced again), eschava/psmqtt#79 (states are missing),
    // SAIC-iSmart-API/saic-python-mqtt-gateway#292 (all at once).
    await until(() => new Set(announced()).size === count, { timeoutMs: 120_000 });
    const states = (): number => new Set(at.home.messages.slice(before).flatMap(({ topic }) => (topic.endsWith('/state') ? [topic] : []))).size;
    await until(() => states() === count);
    assert.ok(performance.now() - beganAt > 7_000, `${Math.round(performance.now() - beganAt)} ms for ${count} robots`);
    // None goes offline meanwhile.
    assert.deepEqual(
      at.home.messages
        .slice(before)
        .filter(({ topic, payload }) => present.some(({ id }) => topic === own(id, 'availability')) && payload !== 'online'),
      [],
    );

    const [gateway] = at.system.cluster.gateways;
    await gateway!.stop();
    const stoppedAt = performance.now();
    await until(() => present.every(({ id }) => at.home.retained.get(own(id, 'availability')) === 'offline'), { timeoutMs: 60_000 });
    const toldMs = performance.now() - stoppedAt;
    await at.system.cluster.replace(gateway!);
    assert.ok(toldMs < 15_000, `${Math.round(toldMs)} ms`);
    await Promise.all(present.map(({ id }) => until(() => at.home.retained.get(own(id, 'availability')) === 'online', { timeoutMs: 60_000 })));
    assert.equal(bridge.lines.filter((line) => line.includes('"level":"error"')).length, 0);
  });

  it('a second bridge with another key takes all of them over within 30 s when the first dies, and does each command once', async () => {
    const robots = await Promise.all(Array.from({ length: count }, (_, i) => (i < connected ? at.tenant.robot() : at.tenant.offlineRobot())));
    const present = robots.slice(0, connected);
    const claimsOf = (bridge: string): number =>
      robots.filter(({ id }) => at.home.retained.get(own(id, 'claim'))?.includes(JSON.stringify(bridge)) === true).length;
    const nameOf = (topic: string): string => topic.split('/').slice(-2).join('/');
    const first = await startBridge({ PERCH_MQTT_POLL_MS: '10000' });
    await Promise.all(present.map(({ id }) => online(id)));
    const before = nameOf((await at.home.json(device(present[0]!.id))).availability[0].topic);
    await until(() => claimsOf(before) === count);
    const { apiKey } = await at.system.store.apiKeys.create({ account: at.tenant.account, name: 'Another' });
    const second = await startBridge({ PERCH_API_KEY: apiKey, PERCH_MQTT_POLL_MS: '10000' });
    await until(() => second.lines.find((line) => line.includes('another bridge serves robots of this key')), { timeoutMs: 60_000 });

    const sent = at.home.messages.length;
    first.signal('SIGKILL');
    const diedAt = performance.now();
    await until(() => claimsOf(before) === 0, { timeoutMs: 60_000 });
    const tookMs = performance.now() - diedAt;
    assert.ok(tookMs < 30_000, `${Math.round(tookMs)} ms`);
    await Promise.all(present.map(({ id }) => command(id, 'face', 'happy')));
    await Promise.all(present.map(({ robot }) => robot.until(({ face }) => face.emotion === 'happy', { timeoutMs: 60_000 })));
    for (const { robot } of present) assert.equal(robot.commands.filter(({ name }) => name.startsWith('face')).length, 1);
    await until(() => robots.every(({ id }) => at.home.retained.get(device(id))?.includes(before) === false), { timeoutMs: 180_000 });
    await until(() => [...at.home.retained.keys()].every((topic) => !topic.includes(before)));
    const removed = at.home.messages.slice(sent).filter(({ topic, payload }) => topic.endsWith('/config') && payload === '');
    assert.deepEqual(removed, []);
  });
});
