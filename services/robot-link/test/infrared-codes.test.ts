import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { codeOf, remoteOf } from '../src/input/remote.js';
import { noise, randomFrom, received, unnamedFrames } from './remote-frames.js';

/** Frames of `unnamedFrames`, half of them as received. Programs bind to codes: this file is never changed, only added to. */
const pinned = JSON.parse(readFileSync(new URL('infrared-codes.json', import.meta.url), 'utf8')) as [
  code: string,
  protocol: string,
  frame: number[],
][];

describe('codes of infrared buttons without a name', () => {
  it('are the same as in every release before, for 100 frames of ten protocols', () => {
    assert.equal(pinned.length, 100);
    for (const [code, protocol, frame] of pinned) {
      assert.equal(codeOf(frame), code, `${protocol} ${frame.join()}`);
      assert.deepEqual(remoteOf({ raw_us: frame }), { data: { code, raw: frame }, press: `code ${code}`, frame });
    }
    assert.equal(new Set(pinned.map(([code]) => code)).size, 100);
  });

  it('are the same for two presses of a button, with the noise of recorded remotes and another distance', () => {
    const random = randomFrom(43);
    for (let round = 0; round < 100; round += 1)
      for (const [protocol, raw] of unnamedFrames(random)) {
        const stretch = 60 * random() - 30;
        const [first, second] = [0, 20 * random() - 10].map((more) => codeOf(received(raw, { stretch: stretch + more, off: noise(random, 12) })));
        assert.equal(first, second, `${protocol} ${raw.join()}`);
      }
  });

  it('differ for any two buttons of a remote that differ in one bit', () => {
    const random = randomFrom(44);
    for (let round = 0; round < 50; round += 1)
      for (const [protocol, raw] of unnamedFrames(random)) {
        const places = raw.flatMap((us, index) =>
          index > 3 && index % 2 === 1 && raw.some((each, i) => i > 3 && i % 2 === 1 && each !== us) ? [index] : [],
        );
        const at = places[Math.floor(random() * places.length)];
        if (at === undefined) continue;
        const others = raw.filter((us, index) => index > 3 && index % 2 === 1 && us !== raw[at]);
        const other = raw.with(at, others[Math.floor(random() * others.length)]!);
        // The last bit of its kind leaves a code of one kind alone, which no algorithm without absolute lengths tells from its opposite.
        if (others.length > 1 && raw.filter((us, index) => index > 3 && index % 2 === 1 && us === raw[at]).length > 1)
          assert.notEqual(codeOf(other), codeOf(raw), `${protocol} ${raw.join()}`);
      }
  });

  it('leave out a repetition after 16 ms, a space at the end, and a flash of light before', () => {
    const [code, , frame] = pinned[0]!;
    for (const capture of [
      [...frame, 20_000, ...frame],
      [...frame, 5000],
      [120, 90_000, ...frame],
    ]) {
      const remote = remoteOf({ raw_us: capture });
      assert.ok(remote !== null && remote !== 'repeat');
      assert.equal(remote.data.code, code);
    }
  });
});
