import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { left, waitArmed } from '../fixture/robots/question.js';
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

  // Reported of others: ESPresense/ESPresense#457 (not announced again), serkri/SmartEVSE-3#194 (the state of availability stays offline).
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

  it('publishes the answer that a person gave while no bridge was there, once, and no other event of that time', async () => {
    const { id, robot } = await at.tenant.robot();
    const bridge = await startBridge();
    await online(id);
    await ready(bridge);
    await command(id, 'ask', '{"id":"ring-1","question":"Let them in?","answers":["Open","Wait"]}');
    await at.home.json(own(id, 'questions'), (questions) => Object.keys(questions).length === 1);
    const number = await waitArmed(at.system, id, robot);
    bridge.signal('SIGKILL');
    await until(() => [...at.home.retained].some(([topic, payload]) => topic.startsWith('perch/bridges/') && payload === 'offline'), patient);
    await robot.pat();
    await until(
      async () => {
        await robot.tap(...left);
        return (await at.system.store.waits.read(id, number))?.outcome !== null;
      },
      { ...patient, everyMs: 500 },
    );
    const back = await startBridge();
    await ready(back);
    await until(() => eventsOf(id).some(({ trigger, id: asked }) => trigger === 'answered_answer_1' && asked === 'ring-1'), patient);
    await robot.tap(10, 10);
    await until(() => eventsOf(id).some(({ trigger }) => trigger === 'tap'), patient);
    assert.deepEqual(
      eventsOf(id).map(({ trigger }) => trigger),
      ['answered_answer_1', 'tap'],
    );
    assert.equal((await at.home.json(own(id, 'answer'))).id, 'ring-1');
  });

  it('keeps the devices, unavailable, when the key is revoked, and is then not ready', async () => {
    const { id } = await at.tenant.robot();
    const bridge = await startBridge();
    await online(id);
    await at.home.json(device(id));
    await at.system.store.apiKeys.revoke(at.tenant.account, at.tenant.keyId);
    await at.home.text(own(id, 'availability'), 'offline');
    assert.ok(at.home.retained.has(device(id)));
    await until(() => bridge.lines.find((line) => line.includes('Perch refuses the API key of the bridge')), patient);
    const response = await fetch(`${bridge.admin}/readyz`);
    assert.equal(response.status, 503);
  });

  // Reported of others: Koenkk/zigbee2mqtt#1441 and #5597 (the former prefix), zigbee2mqtt/hassio-zigbee2mqtt#638 (the former base topic leaves a
  // second set of devices), Koenkk/zigbee2mqtt#27458 and tsightler/ring-mqtt-ha-addon#77 (the birth message is not on a topic below the prefix).
  it('leaves nothing below an earlier prefix or topic', async () => {
    const { id, robot } = await at.tenant.robot();
    const topicsWith = (start: string): string[] => [...at.home.retained.keys()].filter((topic) => topic.startsWith(start));
    const first = await startBridge();
    const [key] = (await at.home.json(device(id))).availability[0].topic.split('/').slice(-2);
    await ready(first);
    await first.stop();
    const second = await startBridge({ PERCH_MQTT_PREFIX: 'ha/discovery' });
    await at.home.json(`ha/${device(id).replace('homeassistant', 'discovery')}`);
    await at.home.text(device(id), undefined);
    // Home Assistant's birth is on its own topic, whatever the prefix.
    const sent = (): number => at.home.messages.filter(({ topic }) => topic === `ha/${device(id).replace('homeassistant', 'discovery')}`).length;
    const before = sent();
    await at.home.publish('homeassistant/status', 'online');
    await until(() => sent() > before, patient);
    await second.stop();

    await startBridge({ PERCH_MQTT_PREFIX: 'ha/discovery', PERCH_MQTT_TOPIC: 'house/perch' });
    await at.home.text(`house/perch/robots/${id}/availability`, 'online');
    await until(() => topicsWith(`perch/robots/${id}/`).length === 0, patient);
    await until(() => topicsWith('perch/').every((topic) => !topic.includes(key) || topic.startsWith('perch/memory/')), patient);
    const { availability } = await at.home.json(`ha/${device(id).replace('homeassistant', 'discovery')}`, (message) =>
      message.availability[0].topic.startsWith('house/perch/'),
    );
    assert.equal(at.home.retained.get(availability[0].topic), 'online');
    await at.home.publish(`house/perch/robots/${id}/set/face`, 'sad');
    await robot.until(({ face }) => face.emotion === 'sad', patient);
  });

  it('leaves nothing below an earlier prefix and topic that change together, and knows what only the earlier messages say', async () => {
    const { id, robot } = await at.tenant.robot();
    const gone = await at.tenant.robot();
    const first = await startBridge();
    await Promise.all([id, gone.id].map((each) => at.home.json(device(each))));
    await ready(first);
    await command(id, 'light', { state: 'ON', color: { r: 255, g: 0, b: 0 }, effect: 'breathe' });
    await at.home.json(own(id, 'light'), ({ effect }) => effect === 'breathe');
    await command(id, 'ask', '{"id":"before","question":"Let them in?","answers":["Open","Wait"]}');
    await at.home.json(own(id, 'questions'), (questions) => Object.keys(questions).length === 1);
    await first.stop();
    await at.system.store.robots.remove(at.tenant.account, gone.id);

    const second = await startBridge({ PERCH_MQTT_PREFIX: 'ha', PERCH_MQTT_TOPIC: 'flat' });
    await ready(second);
    const moved = `ha/device/perch_${id}/config`;
    await at.home.json(moved);
    await until(() => [...at.home.retained.keys()].every((topic) => !/^(?:homeassistant|perch)\//.test(topic) || !topic.includes(id)), patient);
    await until(() => [...at.home.retained.keys()].every((topic) => !topic.includes(gone.id)), patient);
    await at.home.publish(`flat/robots/${id}/set/light`, '{"state":"ON","brightness":50}');
    const { color, effect } = await at.home.json(`flat/robots/${id}/light`, ({ brightness }) => brightness === 50);
    assert.deepEqual([color, effect], [{ r: 255, g: 0, b: 0 }, 'breathe']);
    await until(
      async () => {
        await robot.tap(...left);
        return at.home.messages.some(({ topic, payload }) => topic === `flat/robots/${id}/event` && /"trigger":"answered_answer_1"/.test(payload));
      },
      { ...patient, everyMs: 500 },
    );
    assert.equal((await at.home.json(`flat/robots/${id}/answer`)).id, 'before');
    await second.stop();

    // The topic alone: the announcement stays where it is, so that Home Assistant forgets nothing, but for the robot that left meanwhile.
    const later = await at.tenant.robot();
    const third = await startBridge({ PERCH_MQTT_PREFIX: 'ha', PERCH_MQTT_TOPIC: 'flat' });
    await at.home.json(`ha/device/perch_${later.id}/config`);
    await third.stop();
    await at.system.store.robots.remove(at.tenant.account, later.id);
    const sent = at.home.messages.length;
    await startBridge({ PERCH_MQTT_PREFIX: 'ha' });
    await at.home.json(moved, ({ availability }) => availability[0].topic.startsWith('perch/'));
    await until(() => [...at.home.retained.keys()].every((topic) => !topic.includes(later.id) && !topic.startsWith('flat/')), patient);
    assert.ok(at.home.messages.slice(sent).every(({ topic, payload }) => topic !== moved || payload !== ''));
  });

  // Reported of others: Edubits/Zway-MQTT#49, allangood/rtlamr2mqtt#312 (two clients with one id end each other without an end, and stay offline).
  it('stays idle when a second bridge with its key starts', async () => {
    const { id, robot } = await at.tenant.robot();
    const first = await startBridge();
    await online(id);
    const second = await startBridge();
    await until(() => first.lines.find((line) => line.includes('another MQTT client with the client id of this bridge')), patient);
    await ready(second);
    await command(id, 'face', 'happy');
    await robot.until(({ face }) => face.emotion === 'happy', patient);
    assert.equal(robot.commands.filter(({ name }) => name.startsWith('face')).length, 1);
  });
});
