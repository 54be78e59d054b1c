import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createLogger } from '@perch/runtime';
import { Mosquitto, needsMosquitto, needsOpenssl, testCertificates, until } from '@perch/testkit';
import { Broker, type BrokerOptions } from '../src/broker/broker.js';

const user = { name: 'bridge', password: 'secret-of-the-broker' };

describe('the connection to the MQTT broker (Mosquitto)', () => {
  let mosquitto: Mosquitto;
  const opened: Broker[] = [];
  before(async function () {
    await needsMosquitto(this);
    mosquitto = await Mosquitto.start(user);
  });
  afterEach(() => Promise.all(opened.splice(0).map((broker) => broker.stop())));
  after(() => mosquitto?.stop());

  interface Opened {
    broker: Broker;
    messages: [topic: string, payload: string, retained: boolean][];
    log: string[];
    ups: () => number;
    replaced: () => boolean;
  }

  function open(clientId: string, options: Partial<Pick<BrokerOptions, 'url' | 'password' | 'ca' | 'certificate'>> = {}): Opened {
    const messages: Opened['messages'] = [];
    const log: string[] = [];
    let [ups, replaced] = [0, false];
    const broker = new Broker({
      url: mosquitto.url,
      username: user.name,
      password: user.password,
      ca: null,
      certificate: null,
      ...options,
      clientId,
      will: { topic: `status/${clientId}`, payload: 'offline' },
      claimTopic: `claims/${clientId}`,
      subscriptions: ['test/#', 'status/#'],
      commands: 'commands/#',
      log: createLogger({ level: 'info', service: 'mqtt-bridge', instance: clientId }, { write: (line) => void log.push(line) }),
      onConnecting: () => undefined,
      onKnown: () => Promise.resolve(),
      onUp: () => ups++,
      onDown: () => undefined,
      onReplaced: () => (replaced = true),
      onMessage: (...message) => void (message[0].startsWith('claims/') || messages.push(message)),
    });
    opened.push(broker);
    broker.start();
    return { broker, messages, log, ups: () => ups, replaced: () => replaced };
  }
  const isUp = ({ broker }: Opened): Promise<boolean> => until(() => broker.state === 'up');

  it('says of a message whether the broker kept it from before the subscription', async () => {
    const sender = open('sender');
    await isUp(sender);
    sender.broker.publish('test/kept', 'a', { retain: true });
    await until(() => sender.messages.length === 1);
    assert.deepEqual(sender.messages, [['test/kept', 'a', false]]);
    const later = open('later');
    await until(() => later.messages.length === 1);
    assert.deepEqual(later.messages, [['test/kept', 'a', true]]);
    sender.broker.publish('test/kept', '', { retain: true });
    await until(() => later.messages.length === 2);
  });

  it('connects again after the broker restarts, and sends nothing of what was published meanwhile', async () => {
    const one = open('one');
    await isUp(one);
    await mosquitto.halt();
    await until(() => one.broker.state === 'connecting');
    assert.equal(one.broker.publish('test/late', 'a'), false);
    await mosquitto.launch();
    await until(() => one.ups() === 2);
    one.broker.publish('test/now', 'b');
    await until(() => one.messages.some(([topic]) => topic === 'test/now'));
    assert.deepEqual(
      one.messages.filter(([topic]) => topic.startsWith('test/')).map(([topic]) => topic),
      ['test/now'],
    );
  });

  it('publishes its status when it stops in order', async () => {
    const watcher = open('watcher');
    const stopping = open('stopping');
    await Promise.all([isUp(watcher), isUp(stopping)]);
    await stopping.broker.stop();
    await until(() => watcher.messages.some(([topic, payload]) => topic === 'status/stopping' && payload === 'offline'));
  });

  it('leaves the broker to the one that started last with the same client id, and stays idle', async () => {
    const first = open('same');
    await isUp(first);
    const second = open('same');
    await until(() => first.replaced());
    assert.equal(first.broker.state, 'replaced');
    assert.ok(first.log.some((line) => line.includes('another MQTT client with the client id of this bridge')));
    await isUp(second);
    const third = open('same');
    await until(() => second.replaced());
    await isUp(third);
    assert.equal(third.replaced(), false);
  });

  it('identifies itself by its certificate to a broker that wants one, and is refused without it', async function () {
    needsOpenssl(this);
    const { ca, server, client, remove } = testCertificates();
    const secured = await Mosquitto.start(user, { tls: { ca, ...server } });
    try {
      const [url, trusted] = [secured.url, readFileSync(ca, 'utf8')];
      const without = open('without', { url, ca: trusted });
      await until(() => without.log.length > 0);
      const certificate = { cert: readFileSync(client.certificate, 'utf8'), key: readFileSync(client.key, 'utf8') };
      await isUp(open('with', { url, ca: trusted, certificate }));
      await isUp(open('with-ssl', { url: url.replace('mqtts:', 'ssl:'), ca: trusted, certificate }));
      assert.equal(without.ups(), 0);
    } finally {
      await Promise.all(opened.splice(0).map((broker) => broker.stop()));
      await secured.stop();
      remove();
    }
  });

  it('takes tcp:// as mqtt://', async () => {
    await isUp(open('tcp', { url: mosquitto.url.replace('mqtt:', 'tcp:') }));
  });

  it('logs a wrong password once, while it goes on trying', async () => {
    const wrong = open('wrong', { password: 'not-the-password' });
    await until(() => wrong.log.length > 0);
    const right = open('right');
    await isUp(right);
    assert.equal(wrong.broker.state, 'connecting');
    assert.match(wrong.log[0]!, /Not authorized/i);
    assert.equal(wrong.log.length, 1);
  });
});
