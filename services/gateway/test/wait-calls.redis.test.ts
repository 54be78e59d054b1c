import assert from 'node:assert/strict';
import type { WaitRecord } from '@perch/schema';
import { openWait, question } from './open-wait.js';
import { pngBase64, useGateway, useOwner } from './gateway-under-test.js';
import { hello } from './test-link.js';

describe('waits', () => {
  const system = useGateway();
  const owner = useOwner(system);

  const opened = (action: string, args: unknown, signal?: AbortSignal): ReturnType<typeof openWait> => openWait(system, owner, action, args, signal);

  it('ask shows the question and answers the tap with all fields', async () => {
    const { answer, record } = await opened('ask', { ...question, timeout_s: 20 });
    assert.equal(record.kind, 'ask');
    assert.equal(record.targets.length, 2);
    assert.equal(record.timeoutMs, 20_000);
    assert.equal(record.picture?.account, owner.account);
    assert.equal(record.gateway, system.store.instance);
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 1, x: 200, y: 180 });
    const { status, body } = await answer;
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, outcome: 'answered', timed_out: false, replaced: false, robot_away: false, answer: 'No', index: 1 });
    await system.untilHolds(0, 'wait');
  });

  it('menu answers the id of the item if given, else its label, and draws pictures into the tiles', async () => {
    const { answer, record } = await opened('menu', {
      title: 'Lunch',
      items: ['Soup', { id: 'p', label: 'Pizza', image: pngBase64 }, { image: pngBase64 }],
    });
    assert.equal(record.targets.length, 3);
    assert.equal(system.drawn[0]?.scene.boxes.filter((box: { kind: string }) => box.kind === 'image').length, 2);
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 1, x: 1, y: 1 });
    assert.deepEqual((await answer).body, {
      ok: true,
      outcome: 'answered',
      timed_out: false,
      replaced: false,
      robot_away: false,
      item: 'p',
      index: 1,
      label: 'Pizza',
    });
    const second = await opened('menu', { items: ['Soup', { image: pngBase64 }] });
    await system.link.settle(owner.robot, second.record, { outcome: 'answered', index: 1, x: 1, y: 1 });
    const { item, index, label } = (await second.answer).body;
    assert.deepEqual([item, index, label], [null, 1, null]);
  });

  it('clickmap answers the region, its index and the point, with an image as a card', async () => {
    const regions = [
      { id: 'left', rect: [0, 0, 160, 240] },
      { id: 'ball', circle: [240, 120, 40] },
    ];
    const bare = await opened('clickmap', { regions });
    assert.equal(bare.record.picture, null);
    await system.link.settle(owner.robot, bare.record, { outcome: 'answered', index: 1, x: 250, y: 110.5 });
    assert.deepEqual((await bare.answer).body, {
      ok: true,
      outcome: 'answered',
      timed_out: false,
      replaced: false,
      robot_away: false,
      region: 'ball',
      index: 1,
      x: 250,
      y: 110.5,
    });
    const pictured = await opened('clickmap', { regions, image: pngBase64, timeout_s: 0.2 });
    assert.equal(pictured.record.picture?.w, 320);
    const { body } = await pictured.answer;
    assert.deepEqual(body, {
      ok: true,
      outcome: 'timed_out',
      timed_out: true,
      replaced: false,
      robot_away: false,
      region: null,
      index: null,
      x: null,
      y: null,
    });
  });

  it('answers in robot_away whether the robot disconnected meanwhile, both when it is back and when it is still away', async () => {
    const back = await opened('ask', { ...question, timeout_s: 20 });
    await system.link.release(owner.robot, 'away');
    await system.link.take(owner.robot, owner.token);
    await system.link.settle(owner.robot, back.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    const { body } = await back.answer;
    assert.deepEqual([body.answer, body.robot_away], ['Yes', true]);
    const away = await opened('ask', { ...question, timeout_s: 1 });
    await system.link.release(owner.robot, 'away');
    const { outcome, robot_away: robotAway } = (await away.answer).body;
    assert.deepEqual([outcome, robotAway], ['timed_out', true]);
  });

  it('ends an older wait of any kind at once as replaced when a newer one opens', async () => {
    const first = await opened('ask', question);
    const second = await opened('menu', { items: ['a', 'b'] });
    const { status, body } = await first.answer;
    assert.equal(status, 200);
    assert.deepEqual(body, { ok: true, outcome: 'replaced', timed_out: false, replaced: true, robot_away: false, answer: null, index: null });
    await system.link.settle(owner.robot, second.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await second.answer).body.item, 'a');
  });

  it('answers replaced when a newer wait is already open', async () => {
    const number = (await system.store.waits.number(owner.robot)) ?? assert.fail();
    const record: WaitRecord = {
      number: number + 100_000,
      kind: 'ask',
      targets: [],
      picture: null,
      timeoutMs: 5000,
      gateway: 'gw-other0',
      call: 'gw-other0.1',
      requestId: 'x',
    };
    assert.equal(await system.store.waits.open(owner.robot, record), true);
    const { body } = await system.act(owner, 'ask', question);
    assert.equal(body.replaced, true);
    assert.equal((await system.store.waits.read(owner.robot, record.number))?.outcome, null, 'the newer one goes on');
  });

  it('does not end the open wait for a call rejected with 400, 501, 503 or an invalid picture', async () => {
    const { answer, record } = await opened('ask', question);
    assert.equal((await system.act(owner, 'ask', { question: 'x', answers: ['one'] })).status, 400);
    assert.equal((await system.act(owner, 'menu', { items: ['a', { image: 'AAAA' }] })).body.code, 'bad_picture');
    assert.equal((await system.store.waits.read(owner.robot, record.number))?.outcome, null);
    await system.link.settle(owner.robot, record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await answer).body.answer, 'Yes');
  });

  it('answers 503 when the robot is away, and 501 when it has no touch screen', async () => {
    await system.link.release(owner.robot, 'away');
    assert.equal((await system.act(owner, 'ask', question)).status, 503);
    await system.link.take(owner.robot, owner.token, { ...hello, features: ['screen', 'face'] });
    assert.equal((await system.act(owner, 'ask', question)).status, 501);
  });

  it('keeps waits of different robots independent', async () => {
    const first = await opened('ask', question);
    const other = await system.ownerOnline();
    const second = await openWait(system, other, 'ask', question);
    await system.link.settle(other.robot, second.record, { outcome: 'answered', index: 0, x: 1, y: 1 });
    assert.equal((await second.answer).body.answer, 'Yes');
    assert.equal((await system.store.waits.read(owner.robot, first.record.number))?.outcome, null);
    await system.store.waits.settle(owner.robot, first.record.number, { outcome: 'timed_out' }, null);
    assert.equal((await first.answer).body.timed_out, true);
  });
});
