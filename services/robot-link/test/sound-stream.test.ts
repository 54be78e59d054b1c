import { decodeFrame, frameHeaderBytes, type SoundRef } from '@perch/schema';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { MediaCache, pieceBytes } from '../src/media/media-cache.js';
import type { RobotSocket } from '../src/session/robot-socket.js';
import { GrowingSoundStream, SoundStream } from '../src/media/sound-stream.js';

function sourceOf(data: Buffer): MediaCache {
  const range = async (_ref: unknown, offset: number, length: number): Promise<Buffer> => data.subarray(offset, offset + length);
  return new MediaCache({ read: async () => null, range, growing: async () => null });
}

describe('SoundStream', () => {
  it("sends a sound completely and in order, never beyond received + free, whatever the size of the robot's buffer", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 120_000 }),
        fc.integer({ min: 512, max: 100_000 }),
        fc.integer({ min: 128, max: 4096 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 30_000 })),
        fc.integer({ min: 0, max: 1000 }),
        async (samples, credit, halfPart, plays, resumeAfter) => {
          const data = randomBytes(samples * 2);
          const ref: SoundRef = { kind: 'sound', account: 'a', hash: 'h', format: 'pcm_s16le', rate: 16_000, bytes: data.length };
          const media = sourceOf(data);
          const robot = { received: 0, played: 0, limit: credit, lasts: 0 };
          const socket = {
            sendBinary(frame: Buffer) {
              const part = decodeFrame(frame);
              assert.ok(!('problem' in part));
              assert.equal(part.offset, robot.received);
              assert.equal(part.first, part.offset === 0);
              assert.ok(part.payload.length <= halfPart * 2);
              assert.ok(Buffer.from(part.payload).equals(data.subarray(part.offset, part.offset + part.payload.length)));
              robot.received += part.payload.length;
              robot.lasts += part.last ? 1 : 0;
              assert.ok(robot.received <= robot.limit, `${robot.received} of ${robot.limit}`);
            },
          } as unknown as RobotSocket;
          const open = () => new SoundStream({ sound: ref, stream: 5, partBytesMax: halfPart * 2, socket, media, onGone: () => assert.fail('gone') });
          let stream = open();
          stream.begin(data.subarray(0, pieceBytes), credit);
          let turns = 0;
          while (robot.received < data.length) {
            robot.played = Math.min(robot.received, robot.played + (plays.next().value as number));
            if (turns === resumeAfter) {
              stream.stop();
              stream = open();
              stream.resume();
            }
            robot.limit = Math.max(robot.limit, credit + robot.played);
            stream.onFlow(robot.received, robot.limit - robot.received);
            await new Promise((resolve) => setImmediate(resolve));
            turns += 1;
            assert.ok(turns < 100_000, 'the stream does not end');
          }
          assert.equal(robot.lasts, 1);
        },
      ),
      { numRuns: 40 },
    ));

  function counting(data: Buffer, partBytesMax: number): { stream: SoundStream; sent: number[] } {
    const sent: number[] = [];
    const media = sourceOf(data);
    const socket = { sendBinary: (frame: Buffer) => void sent.push(frame.length - frameHeaderBytes) } as unknown as RobotSocket;
    const sound: SoundRef = { kind: 'sound', account: 'a', hash: 'h', format: 'pcm_s16le', rate: 24_000, bytes: data.length };
    return { stream: new SoundStream({ sound, stream: 5, partBytesMax, socket, media, onGone: () => assert.fail('gone') }), sent };
  }
  const total = (sent: number[]): number => sent.reduce((sum, bytes) => sum + bytes, 0);
  const quiet = async (): Promise<void> => {
    for (let i = 0; i < 100; i += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('does not send far ahead to a robot with a large buffer, which would look like a robot that does not read', async () => {
    const data = randomBytes(1_440_000);
    const { stream, sent } = counting(data, 4096);
    stream.begin(data.subarray(0, pieceBytes), 16_000_000);
    await quiet();
    assert.ok(total(sent) >= 96_000 && total(sent) <= 256 * 1024, String(total(sent)));
    while (total(sent) < data.length) {
      const before = total(sent);
      stream.onFlow(before, 16_000_000);
      await quiet();
      assert.ok(total(sent) > before && total(sent) - before <= 256 * 1024);
    }
  });

  it('does not split a sample for a robot that accepts an odd number of bytes', async () => {
    const data = randomBytes(20_000);
    const { stream, sent } = counting(data, 1023);
    stream.begin(data, 100_000);
    await quiet();
    assert.equal(total(sent), 20_000);
    assert.ok(
      sent.every((bytes) => bytes % 2 === 0 && bytes <= 1023),
      sent.join(),
    );
  });
});

describe('GrowingSoundStream', () => {
  const ref: SoundRef = { kind: 'sound', account: 'a', hash: 'h', format: 'pcm_s16le', rate: 16_000, bytes: 2_880_000, growing: true };
  const pause = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  function playing(first: Buffer) {
    const made = { data: first, ended: false, failed: false };
    const parts: { offset: number; payload: Buffer; last: boolean }[] = [];
    let gone = 0;
    const media = new MediaCache({
      read: async () => null,
      range: async () => null,
      growing: async (_ref, offset, length) => {
        const bytes = made.data.subarray(offset, offset + length);
        return made.failed ? null : { bytes, ended: made.ended && offset + length > made.data.length };
      },
    });
    const sendBinary = (frame: Buffer): void => {
      const part = decodeFrame(frame);
      assert.ok(!('problem' in part));
      parts.push({ offset: part.offset, payload: Buffer.from(part.payload), last: part.last });
    };
    const options = { sound: ref, stream: 5, partBytesMax: 4096, socket: { sendBinary } as unknown as RobotSocket, media, onGone: () => (gone += 1) };
    const sent = (): Buffer => Buffer.concat(parts.map(({ payload }) => payload));
    const until = async (done: () => boolean): Promise<void> => {
      for (let turn = 0; !done(); turn += 1) {
        assert.ok(turn < 250, `${sent().length} bytes sent of ${made.data.length}`);
        await pause();
      }
    };
    return { made, parts, options, sent, until, gone: () => gone };
  }

  it('sends what there is, then what is added, and ends with an empty part if the end is found later', async () => {
    const { made, parts, options, sent, until } = playing(randomBytes(6000));
    const stream = new GrowingSoundStream(options);
    stream.begin(made.data, 1_000_000);
    assert.equal(sent().length, 6000);
    made.data = Buffer.concat([made.data, randomBytes(150_000)]);
    await until(() => sent().length === 156_000);
    assert.ok(parts.every(({ last }) => !last));
    made.ended = true;
    await until(() => parts.at(-1)!.last);
    assert.equal(parts.at(-1)!.payload.length, 0);
    assert.ok(sent().equals(made.data));
    const before = parts.length;
    stream.onFlow(156_000, 1_000_000);
    await pause(100);
    assert.equal(parts.length, before, 'nothing follows the last part');
  });

  it('never sends beyond the credit, and continues where a robot that was taken over stopped', async () => {
    const { made, options, sent, parts, until } = playing(randomBytes(100_000));
    made.ended = true;
    const former = new GrowingSoundStream(options);
    former.begin(made.data.subarray(0, pieceBytes), 32_768);
    await pause(150);
    assert.equal(sent().length, 32_768);
    former.stop();
    const next = new GrowingSoundStream(options);
    next.resume();
    await pause(150);
    assert.equal(sent().length, 32_768);
    next.onFlow(32_768, 40_000);
    await until(() => sent().length >= 72_000);
    assert.ok(sent().length <= 72_768);
    next.onFlow(sent().length, 1_000_000);
    await until(() => parts.at(-1)!.last);
    assert.ok(sent().equals(made.data));
    assert.ok(parts.every(({ payload }) => payload.length % 2 === 0 && payload.length <= 4096));
  });

  it('reports a sound that failed, once, and sends nothing after it', async () => {
    const { made, options, parts, until, gone } = playing(randomBytes(2000));
    const stream = new GrowingSoundStream(options);
    stream.begin(made.data, 1_000_000);
    made.failed = true;
    await until(() => gone() === 1);
    stream.stop();
    const before = parts.length;
    await pause(150);
    assert.deepEqual([parts.length, gone()], [before, 1]);
  });
});
