import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { onMqttBridges, patient } from '../fixture/system/mqtt-bridges.js';

onMqttBridges('the MQTT bridge in outages', (at) => {
  const { startBridge, own, device, command, eventsOf, online, ready } = at;

  it('is offline by its last will when it dies; at its next start it removes robots that the key lost meanwhile', async () => {
    const { id } = await at.tenant.robot();
    const other = await at.tenant.robot();
    const bridge = await startBridge();
    await Promise.all([online(id), online(other.id)]);
    const [status] = [...at.home.retained.keys()].filter((topic) => topic.startsWith('perch/bridges/') && at.home.retained.get(topic) === 'online');
    bridge.signal('SIGKILL');
    await at.home.text(status!, 'offline');
    await at.system.store.robots.remove(at.tenant.account, id);
    await startBridge();
    await at.home.text(status!, 'online');
    await at.home.text(device(id), undefined);
    await online(other.id);
  });

  it('publishes everything again to a broker that restarted without its retained messages', async () => {
    const { id, robot } = await at.tenant.robot();
    const bridge = await startBridge();
    await online(id);
    await at.broker.halt();
    await until(async () => (await fetch(`${bridge.admin}/readyz`)).status === 503, patient);
    at.home.retained.clear();
    await at.broker.launch();
    await at.home.json(device(id));
    await online(id);
    await command(id, 'face', 'sad');
    await robot.until(({ face }) => face.emotion === 'sad', patient);
  });

  it('makes robots unavailable while the gateway is away, and misses no event of a short outage', async () => {
    const { id, robot } = await at.tenant.robot();
    await startBridge();
    await online(id);
    const [gateway] = at.system.cluster.gateways;
    await gateway!.stop();
    await at.home.text(own(id, 'availability'), 'offline');
    await robot.pat();
    await at.system.cluster.replace(gateway!);
    await online(id);
    await until(() => eventsOf(id).find(({ trigger }) => trigger === 'pat'), patient);
    await command(id, 'face', 'happy');
    await robot.until(({ face }) => face.emotion === 'happy', patient);
  });

  it('keeps the devices, unavailable, when the key is revoked, and is then not ready', async () => {
    const { id } = await at.tenant.robot();
    const bridge = await startBridge();
    await online(id);
    await at.system.store.apiKeys.revoke(at.tenant.account, at.tenant.keyId);
    await at.home.text(own(id, 'availability'), 'offline');
    assert.ok(at.home.retained.has(device(id)));
    const response = await fetch(`${bridge.admin}/readyz`);
    assert.equal(response.status, 503);
    assert.ok(bridge.lines.some((line) => line.includes('Perch refuses the API key of the bridge')));
  });

  it('stays idle when a second bridge with its key starts, and names a bridge with the same key and another client id', async () => {
    const { id, robot } = await at.tenant.robot();
    const first = await startBridge();
    await online(id);
    const second = await startBridge();
    await until(() => first.lines.find((line) => line.includes('another MQTT client with the client id of this bridge')), patient);
    await ready(second);
    await command(id, 'face', 'happy');
    await robot.until(({ face }) => face.emotion === 'happy', patient);
    assert.equal(robot.commands.filter(({ name }) => name.startsWith('face')).length, 1);

    await startBridge({ PERCH_MQTT_CLIENT_ID: 'another' });
    await until(() => second.lines.find((line) => line.includes('another bridge uses the same API key')), patient);
  });
});
