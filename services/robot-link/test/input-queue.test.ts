import type { AppendResult } from '@perch/store';
import assert from 'node:assert/strict';
import { InputQueue, type InputPort } from '../src/input/input-queue.js';
import { headTouch, numbered, type Raw } from './inputs.js';

/** A store whose replies the test sends, one by one. */
function slowStore(): InputPort & { answers: ((stored: AppendResult) => void)[]; safeSeqs: number[] } {
  const answers: ((stored: AppendResult) => void)[] = [];
  const safeSeqs: number[] = [];
  return {
    answers,
    safeSeqs,
    headMovedWithin: () => false,
    answer: () => Promise.resolve('event'),
    append: (_events, { safeSeq }) => {
      safeSeqs.push(safeSeq);
      return new Promise((resolve) => answers.push(resolve));
    },
    ackLater: () => undefined,
    loseLease: () => undefined,
    storeFailed: () => undefined,
    inputDropped: () => undefined,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('InputQueue', () => {
  it('acks inputs one after the other as they are stored, while later ones are queued', async () => {
    const store = slowStore();
    const queue = new InputQueue(store, { inSeq: 0, safeSeq: 0, near: null, usb: null });
    const press: Raw = { kind: 'power_key', held_ms: 10 };
    for (const input of numbered([press, press, press])) queue.feed(input);
    for (const expected of [1, 2, 3]) {
      await settled();
      store.answers.shift()?.({ appended: true, lastSeq: expected });
      await settled();
      assert.equal(queue.takeAck(), expected);
    }
    assert.deepEqual(store.safeSeqs, [1, 2, 3]);
  });

  it('stores the first of two results of an input without the number of the second, which is not stored yet', async () => {
    const store = slowStore();
    const queue = new InputQueue(store, { inSeq: 0, safeSeq: 0, near: null, usb: null });
    for (const input of numbered([...headTouch(90), { kind: 'ir', address: 1, command: 2 }])) queue.feed(input);
    for (const expected of [null, 3]) {
      await settled();
      store.answers.shift()?.({ appended: true, lastSeq: 1 });
      await settled();
      assert.equal(queue.takeAck(), expected);
    }
    assert.deepEqual(store.safeSeqs, [0, 3]);
  });

  it('never reports a lower safe number than the session before', async () => {
    const store = slowStore();
    const queue = new InputQueue(store, { inSeq: 9, safeSeq: 8, near: null, usb: null });
    queue.event({ name: 'connected', data: {} });
    await settled();
    assert.deepEqual(store.safeSeqs, [8]);
  });

  it('stores and acks a touch of the head that no input follows, and stores nothing of it once the session has ended', async () => {
    for (const isEnded of [false, true]) {
      const store = slowStore();
      const queue = new InputQueue(store, { inSeq: 0, safeSeq: 0, near: null, usb: null });
      const settles = new Promise<void>((resolve) => setTimeout(resolve, 400));
      for (const input of numbered(headTouch(90))) queue.feed(input);
      if (isEnded) queue.end();
      assert.equal(queue.takeAck(), null);
      await settles;
      assert.equal(store.answers.length, isEnded ? 0 : 1);
      store.answers.shift()?.({ appended: true, lastSeq: 1 });
      await settled();
      assert.equal(queue.takeAck(), isEnded ? null : 2);
    }
  });
});
