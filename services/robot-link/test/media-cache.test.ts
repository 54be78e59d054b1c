import assert from 'node:assert/strict';
import { MediaCache } from '../src/media/media-cache.js';

describe('media cache', () => {
  const pictureOf = (hash: string) => ({
    kind: 'picture' as const,
    account: 'a1',
    hash,
    format: 'png' as const,
    w: 320,
    h: 240,
    bytes: 1000,
    crc32: 0,
  });
  const cacheAt = () => {
    const clock = { ms: 0 };
    const reads: string[] = [];
    const read = ({ hash }: { hash: string }): Promise<Buffer> => {
      reads.push(hash);
      return Promise.resolve(Buffer.alloc(1000));
    };
    const cache = new MediaCache({ read, range: read, growing: () => Promise.resolve(null) }, () => clock.ms);
    return { cache, clock, reads };
  };

  it('reads a picture again once it is a minute old', async () => {
    const { cache, clock, reads } = cacheAt();
    for (const ms of [1, 59_000, 61_000]) {
      clock.ms = ms;
      await cache.picture(pictureOf('same'));
    }
    assert.deepEqual(reads, ['same', 'same']);
  });

  it('holds only the pictures of the last two minutes, however long it runs', async () => {
    const { cache, clock } = cacheAt();
    for (let second = 0; second < 3600; second += 1) {
      clock.ms = 1 + second * 1000;
      await cache.picture(pictureOf(`new ${second}`));
      assert.ok(cache.bytes <= 121 * 1128, `${cache.bytes} bytes after ${second} s`);
    }
  });
});
