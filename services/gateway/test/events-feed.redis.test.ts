import assert from 'node:assert/strict';
import { until } from '@perch/testkit';
import { useGateway, useOwner, type Answer } from './gateway-under-test.js';

describe('reading events', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const get = (query: string, signal?: AbortSignal): Promise<Answer> =>
    system.ask('GET', `/v1/robots/${owner.robot}/events?${query}`, { apiKey: owner.apiKey, ...(signal === undefined ? {} : { signal }) });
  const seqs = ({ body }: Answer): number[] => body.events.map((event: { seq: number }) => event.seq);

  it('answers an empty list for a robot without events', async () => {
    assert.deepEqual((await get('')).body, { ok: true, events: [], last_seq: 0, first_seq: 0 });
  });

  it('answers events after `after`, with a last_seq that covers events excluded by `names`', async () => {
    for (const name of ['tap', 'pat', 'tap'] as const) await system.link.event(owner.robot, name, { x: 1, y: 2 });
    const all = await get('');
    const [first, second, third] = seqs(all);
    assert.deepEqual(all.body.events[0], { seq: first, name: 'tap', data: { x: 1, y: 2 }, at: all.body.events[0].at });
    assert.match(all.body.events[0].at, /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.equal(all.body.first_seq, first);
    const pats = await get('names=pat');
    assert.deepEqual([seqs(pats), pats.body.last_seq], [[second], third]);
    assert.deepEqual(seqs(await get(`after=${first}`)), [second, third]);
    assert.deepEqual(seqs(await get(`after=${third}&seconds=0`)), []);
  });

  it('waits when `after` is above the highest number and answers only higher numbers', async () => {
    const seq = await system.link.event(owner.robot, 'tap');
    const empty = (await get(`after=${seq + 2}`)).body;
    assert.deepEqual([empty.events, empty.last_seq, empty.first_seq], [[], seq + 2, seq]);
    for (const read of [() => get(`after=${seq + 2}&seconds=30`), () => system.act(owner, 'events', { after: seq + 5, seconds: 30 })]) {
      const poll = read();
      await system.untilHolds(1, 'poll');
      const sent: number[] = [];
      for (let i = 0; i < 3; i++) sent.push(await system.link.event(owner.robot, 'tap'));
      assert.deepEqual([seqs(await poll), (await poll).body.last_seq], [[sent[2]], sent[2]]);
    }
  });

  it('shows in first_seq that the numbering jumped after `after`, also to a poll that waited above the highest number', async () => {
    const seq = await system.link.event(owner.robot, 'tap');
    const { commands } = system.store.connections;
    const log = `perch:{${owner.robot}}:log`;
    const poll = get(`after=${seq + 40}&seconds=30&names=pat`);
    await system.untilHolds(1, 'poll');
    // Another Redis process with an older copy has another run id.
    await commands.hset(log, { run_id: 'another' });
    await commands.hset(`perch:{${owner.robot}}`, { created_at: 0 });
    // Right after a jump, an event is rejected as busy for up to 20 ms.
    const sent = (name: 'tap' | 'pat'): Promise<number> => until(() => system.link.event(owner.robot, name).catch(() => null));
    await sent('tap');
    const jumped = await sent('pat');
    const { body } = await poll;
    assert.deepEqual([seqs(await poll), body.first_seq, body.last_seq], [[jumped], jumped - 1, jumped]);
    assert.ok(jumped > seq + 1000);
    assert.equal((await get(`after=${seq}`)).body.first_seq, jumped - 1, 'a gap for a reader from before the jump');
    assert.equal((await get('')).body.first_seq, seq, 'the oldest kept for a reader of everything');
    assert.equal((await get(`after=${jumped - 1}`)).body.first_seq, seq, 'no gap for a reader from after the jump');
  });

  it('answers kept events at once, and ends a poll with `seconds` at the next event', async () => {
    const seq = await system.link.event(owner.robot, 'tap');
    assert.deepEqual(seqs(await get('seconds=30')), [seq]);
    const poll = get(`after=${seq}&seconds=30`);
    await system.untilHolds(1, 'poll');
    const next = await system.link.event(owner.robot, 'pat', { ms: 90 });
    const { body } = await poll;
    assert.deepEqual([body.events[0].seq, body.events[0].name, body.last_seq], [next, 'pat', next]);
    await system.untilHolds(0, 'poll');
  });

  it('finds an event beyond the first 1,000 kept in a poll for some names', async () => {
    // PERCH_EVENTS_KEPT may exceed one page.
    const { commands } = system.store.connections;
    const added = (seq: number): Promise<unknown> =>
      commands.xadd(`perch:{${owner.robot}}:events`, `${seq}-0`, 'n', seq === 2400 ? 'pat' : 'tap', 'd', '{}', 't', '1790000000000');
    // In batches, because the embedded Redis is slow with long streams and a command may take at most 1 s.
    for (let seq = 1; seq <= 2500; seq += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => added(seq + i)));
    await commands.hset(`perch:{${owner.robot}}:log`, 'seq', 2500);
    const { body } = await get('names=pat&seconds=60');
    assert.deepEqual([body.events.map(({ seq }: { seq: number }) => seq), body.last_seq], [[2400], 2500]);
  });

  it('answers 404 for a removed robot, although it was just used', async () => {
    assert.equal((await system.act(owner, 'face', { emotion: 'happy' })).status, 200);
    await system.store.robots.remove(owner.account, owner.robot);
    for (const query of ['', 'seconds=1', 'after=7&seconds=1']) {
      const { status, body } = await get(query);
      assert.deepEqual([status, body.code], [404, 'unknown_robot'], query);
    }
  });

  it('ends a poll with 404 when its robot is removed', async () => {
    const poll = get('seconds=2');
    await system.untilHolds(1, 'poll');
    await system.store.robots.remove(owner.account, owner.robot);
    assert.equal((await poll).status, 404);
  });

  it('answers POST like GET', async () => {
    const seq = await system.link.event(owner.robot, 'tap');
    const { body } = await system.act(owner, 'events', { after: seq - 1, names: ['tap'], seconds: 5, anything: 'ignored' });
    assert.deepEqual([body.events[0].seq, body.last_seq], [seq, seq]);
  });

  it('continues a poll for some names while other events arrive, and covers them in last_seq', async () => {
    const poll = get('names=pat&seconds=30');
    await system.untilHolds(1, 'poll');
    await system.link.event(owner.robot, 'tap');
    await system.link.event(owner.robot, 'tap');
    const pat = await system.link.event(owner.robot, 'pat');
    const { body } = await poll;
    assert.deepEqual([seqs(await poll), body.last_seq], [[pat], pat]);
  });

  it('ends a poll without an event after its `seconds`, empty, with a last_seq that covers all events', async () => {
    const before = performance.now();
    const poll = get('names=pat&seconds=0.6');
    await system.untilHolds(1, 'poll');
    const seq = await system.link.event(owner.robot, 'tap');
    const { body } = await poll;
    assert.deepEqual([body.events, body.last_seq], [[], seq]);
    const tookMs = performance.now() - before;
    assert.ok(tookMs >= 590, `${tookMs} ms`);
  });

  it('gives every event once and in order to a client that passes last_seq as `after`, whatever the timing', async () => {
    const total = 60;
    const seen: number[] = [];
    const reading = (async () => {
      let after = 0;
      while (seen.length < total) {
        const page = await system.store.events.read(owner.robot, { after: 0 });
        if (page.lastSeq === 0) continue;
        const answer = await system.act(owner, 'events', { after, seconds: 20 });
        if (answer.status === 429) {
          await new Promise((resolve) => setTimeout(resolve, 120));
          continue;
        }
        seen.push(...seqs(answer));
        after = answer.body.last_seq;
      }
    })();
    const sent: number[] = [];
    for (let i = 0; i < total; i++) {
      await until(async () => {
        sent.push(await system.link.event(owner.robot, 'tap', { x: i, y: 0 }));
        return true;
      });
    }
    await reading;
    assert.deepEqual(seen, sent);
  });

  it('ends the poll of a revoked key with 401 within a second', async () => {
    const poll = get('seconds=60');
    await system.untilHolds(1, 'poll');
    await system.store.apiKeys.revoke(owner.account, owner.keyId);
    assert.equal((await poll).status, 401);
  });

  it('leaves nothing behind after the client of a poll disconnects', async () => {
    const hangUp = new AbortController();
    const poll = get('seconds=60', hangUp.signal);
    await system.untilHolds(1, 'poll');
    const subscribed = system.store.connections.subscriber.size;
    hangUp.abort();
    await assert.rejects(poll);
    await system.untilHolds(0, 'poll');
    await until(() => system.store.connections.subscriber.size === subscribed - 1);
  });
});
