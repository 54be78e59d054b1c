import { decodeFrame, frameHeaderBytes, type SoundRef } from '@perch/schema';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { MediaCache, pieceBytes } from '../src/media/media-cache.js';
import type { RobotSocket } from '../src/connection/robot-socket.js';
import { SoundStream } from '../src/media/sound-stream.js';

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
          const media = new MediaCache({ read: async () => null, range: async (_ref, offset, length) => data.subarray(offset, offset + length) });
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
    )).timeout(60_000);

  function counting(data: Buffer, partBytesMax: number): { stream: SoundStream; sent: number[] } {
    const sent: number[] = [];
    const media = new MediaCache({ read: async () => null, range: async (_ref, offset, length) => data.subarray(offset, offset + length) });
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
