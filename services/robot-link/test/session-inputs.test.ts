import type { AppendResult } from '@perch/store';
import assert from 'node:assert/strict';
import { headTouch, numbered, type Raw } from './inputs.js';
import { SessionUnderTest, settled, type SessionUnderTestOptions } from './session-under-test.js';

/** A session whose events are stored when the test says so, one after the other. */
function slowStore(stored: Pick<SessionUnderTestOptions, 'inSeq' | 'safeSeq'> = {}) {
  const answers: ((stored: AppendResult) => void)[] = [];
  const safeSeqs: number[] = [];
  const { session, inputAcks } = new SessionUnderTest({
    ...stored,
    events: {
      append: (_robot, { safeSeq }) => {
        safeSeqs.push(safeSeq!);
        return new Promise((resolve) => answers.push(resolve));
      },
    },
  });
  /** Returns the input up to which the robot gets an ack now; null if it gets none. */
  const takeAck = (): number | null => {
    const before = inputAcks.length;
    session.inputs.sendAck();
    return inputAcks[before] ?? null;
  };
  return { inputs: session.inputs, answers, safeSeqs, takeAck };
}

describe('the inputs of a session', () => {
  it('acks inputs one after the other as they are stored, while later ones are queued', async () => {
    const store = slowStore();
    const { inputs } = store;
    const press: Raw = { kind: 'power_key', held_ms: 10 };
    for (const input of numbered([press, press, press])) inputs.feed(input);
    for (const expected of [1, 2, 3]) {
      await settled();
      store.answers.shift()?.({ appended: true, lastSeq: expected });
      await settled();
      assert.equal(store.takeAck(), expected);
    }
    assert.deepEqual(store.safeSeqs, [1, 2, 3]);
  });

  it('stores the first of two results of an input without the number of the second, which is not stored yet', async () => {
    const store = slowStore();
    const { inputs } = store;
    for (const input of numbered([...headTouch(90), { kind: 'ir', address: 1, command: 2 }])) inputs.feed(input);
    for (const expected of [null, 3]) {
      await settled();
      store.answers.shift()?.({ appended: true, lastSeq: 1 });
      await settled();
      assert.equal(store.takeAck(), expected);
    }
    assert.deepEqual(store.safeSeqs, [0, 3]);
  });

  it('never reports a lower safe number than the session before', async () => {
    const store = slowStore({ inSeq: 9, safeSeq: 8 });
    const { inputs } = store;
    inputs.event({ name: 'connected', data: {} });
    await settled();
    assert.deepEqual(store.safeSeqs, [8]);
  });

  it('stores and acks a touch of the head that no input follows, and stores nothing of it once the session has ended', async () => {
    for (const isEnded of [false, true]) {
      const store = slowStore();
      const { inputs } = store;
      const settles = new Promise<void>((resolve) => setTimeout(resolve, 400));
      for (const input of numbered(headTouch(90))) inputs.feed(input);
      if (isEnded) inputs.end();
      assert.equal(store.takeAck(), null);
      await settles;
      assert.equal(store.answers.length, isEnded ? 0 : 1);
      store.answers.shift()?.({ appended: true, lastSeq: 1 });
      await settled();
      assert.equal(store.takeAck(), isEnded ? null : 2);
    }
  });
});
