import assert from 'node:assert/strict';
import { RobotClaims } from '../src/robots/robot-claims.js';
import { Topics } from '../src/topics.js';

const id = 'r-7k2m9qx4tb';
const settings = { topic: 'perch', discoveryPrefix: 'homeassistant', birthTopic: 'homeassistant/status' };
const names = { one: 'key1/perch-key1', two: 'key2/perch-key2' };

/** A broker, which sends each message to every bridge in one order, and retains. */
class Bus {
  readonly retained = new Map<string, string>();
  readonly bridges: RobotClaims[] = [];
  nowMs = 0;

  publish(topic: string, payload: string): true {
    if (payload === '') this.retained.delete(topic);
    else this.retained.set(topic, payload);
    for (const bridge of this.bridges) bridge.receive(topic, payload);
    return true;
  }

  join(name: string): RobotClaims {
    const [keyId, clientId] = name.split('/') as [string, string];
    const claims = new RobotClaims({
      topics: new Topics({ ...settings, keyId, clientId }),
      publish: (topic, payload) => this.publish(topic, payload),
      onChange: () => undefined,
      graceMs: 10_000,
      now: () => this.nowMs,
    });
    this.publish(`perch/claims/${name}`, '{"number":1,"instance":"a","robots":true}');
    this.connect(claims);
    return claims;
  }

  connect(claims: RobotClaims): void {
    claims.begin();
    if (!this.bridges.includes(claims)) this.bridges.push(claims);
    for (const [topic, payload] of this.retained) claims.receive(topic, payload);
  }

  status(name: string, status: 'online' | 'offline'): void {
    this.publish(`perch/bridges/${name}`, status);
  }
}

describe('the claims of robots', () => {
  let bus: Bus;
  beforeEach(() => (bus = new Bus()));

  const taken = (name: keyof typeof names): RobotClaims => {
    const claims = bus.join(names[name]);
    claims.take(id);
    bus.status(names[name], 'online');
    return claims;
  };

  it('a robot without a claim is claimed at once, and is then that bridge’s for every bridge', () => {
    const one = bus.join(names.one);
    assert.equal(one.decide(id).by, 'nobody');
    one.take(id);
    bus.status(names.one, 'online');
    assert.equal(one.decide(id).by, 'this');
    assert.deepEqual(bus.join(names.two).decide(id), { by: 'other', bridge: names.one });
  });

  it('of two claims at the same time the later one counts, for both', () => {
    const [one, two] = [bus.join(names.one), bus.join(names.two)];
    for (const name of Object.values(names)) bus.status(name, 'online');
    assert.deepEqual([one.decide(id).by, two.decide(id).by], ['nobody', 'nobody']);
    one.take(id);
    two.take(id);
    assert.deepEqual([one.decide(id).by, two.decide(id).by], ['other', 'this']);
  });

  it('the claim of a bridge that is not online is void after a pause, in which that bridge may come back', () => {
    taken('one');
    const two = bus.join(names.two);
    assert.equal(two.decide(id).by, 'other');
    bus.status(names.one, 'offline');
    assert.equal(two.decide(id).by, 'soon');
    bus.nowMs += 9_999;
    assert.equal(two.decide(id).by, 'soon');
    bus.status(names.one, 'online');
    assert.equal(two.decide(id).by, 'other');
    bus.status(names.one, 'offline');
    assert.equal(two.decide(id).by, 'soon');
    bus.nowMs += 10_000;
    assert.equal(two.decide(id).by, 'nobody');
  });

  it('the claim of a bridge that is online without heartbeats is void, at once after 15 s of silence', () => {
    const one = taken('one');
    const two = bus.join(names.two);
    const beat = (): true => bus.publish(`perch/alive/${names.one}`, 'alive');
    for (let i = 0; i < 4; i++) {
      bus.nowMs += 14_999;
      assert.equal(two.decide(id).by, 'other');
      beat();
    }
    bus.nowMs += 15_000;
    assert.deepEqual([two.decide(id).by, one.decide(id).by], ['nobody', 'this']);
    beat();
    assert.equal(two.decide(id).by, 'other');
    // A bridge that connects now reads it from the retained messages, and waits for heartbeats from then on.
    const third = bus.join('key3/perch-key3');
    assert.equal(third.decide(id).by, 'other');
    bus.nowMs += 15_000;
    assert.equal(third.decide(id).by, 'nobody');
  });

  it('a bridge of 0.10, which sends no heartbeats, is not taken for dead', () => {
    const one = bus.join(names.one);
    bus.publish('perch/claims/oldkey/perch-oldkey', '{"number":1,"instance":"a"}');
    bus.status('oldkey/perch-oldkey', 'online');
    bus.publish('perch/published/oldkey', JSON.stringify([id]));
    bus.nowMs += 3_600_000;
    assert.equal(one.decide(id).by, 'other');
  });

  it('names a dead bridge once it has all its robots, once, and none that is alive, has robots left or gave them up by itself', () => {
    taken('one');
    bus.publish(`perch/robots/r-another/claim`, JSON.stringify({ bridge: names.one, prefix: 'homeassistant' }));
    const two = bus.join(names.two);
    two.take(id);
    assert.deepEqual(two.takeSucceeded(), []);
    bus.status(names.one, 'offline');
    assert.deepEqual(two.takeSucceeded(), []);
    two.take('r-another');
    assert.equal(two.hasKeyOf(names.one), false);
    assert.deepEqual([two.takeSucceeded(), two.takeSucceeded()], [[names.one], []]);
    bus.publish('perch/waiting/key1/another', '[]');
    assert.equal(two.hasKeyOf(names.one), true);
    assert.equal(two.hasKeyOf('key2/another'), true);
  });

  it('after the broker lost its retained messages the bridge that served a robot keeps it', () => {
    const one = taken('one');
    const two = bus.join(names.two);
    assert.deepEqual([one.decide(id).by, two.decide(id).by], ['this', 'other']);
    bus.retained.clear();
    for (const claims of [two, one]) bus.connect(claims);
    assert.deepEqual([two.decide(id).by, one.decide(id).by], ['soon', 'nobody']);
  });

  it('a released robot is another’s at once, and only a bridge’s own claim is released', () => {
    const one = taken('one');
    const two = bus.join(names.two);
    assert.equal(two.decide(id).by, 'other');
    two.release(id);
    assert.equal(one.decide(id).by, 'this');
    one.release(id);
    assert.equal(two.decide(id).by, 'nobody');
  });

  it('a robot is wanted elsewhere while a bridge that waits for it is online', () => {
    const one = taken('one');
    bus.publish(`perch/waiting/${names.two}`, JSON.stringify([id]));
    assert.equal(one.isWantedElsewhere(id), false);
    bus.status(names.two, 'online');
    assert.equal(one.isWantedElsewhere(id), true);
    assert.equal(one.isWantedElsewhere('r-another'), false);
    bus.status(names.two, 'offline');
    assert.equal(one.isWantedElsewhere(id), false);
  });

  it('a bridge of 0.10 serves what it lists while it is online, whatever the claim says, and everything with the same key', () => {
    const one = taken('one');
    const old = 'oldkey/perch-oldkey';
    bus.publish(`perch/claims/${old}`, '{"number":1,"instance":"a"}');
    bus.status(old, 'online');
    assert.equal(one.decide(id).by, 'this');
    bus.publish('perch/published/oldkey', JSON.stringify([id]));
    assert.deepEqual(one.decide(id), { by: 'other', bridge: old });
    assert.equal(one.knowsClaims(old), false);
    bus.status(old, 'offline');
    bus.status('key1/other', 'online');
    assert.deepEqual(one.decide(id), { by: 'other', bridge: 'key1/other' });
    bus.publish('perch/claims/key1/other', '{"number":2,"instance":"b","robots":true}');
    assert.equal(one.decide(id).by, 'this');
  });

  it('messages that are no claims, lists or states change nothing', () => {
    const one = taken('one');
    for (const topic of ['claims/key1/perch-key1', 'waiting/key2/perch-key2', 'published/key2'])
      for (const payload of ['', '7', '[1]', '{"a":', '3f2b3f2b']) bus.publish(`perch/${topic}`, payload);
    for (const topic of ['robots/a/b/claim', 'bridges/a', 'claims/a/b/c', 'other/a/b'])
      assert.equal(one.receive(`perch/${topic}`, 'online'), false, topic);
    assert.equal(one.decide(id).by, 'this');
  });
});
