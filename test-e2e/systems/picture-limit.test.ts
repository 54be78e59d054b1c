import assert from 'node:assert/strict';
import { privateRedis } from '@perch/testkit';
import { picture } from '../fixture/media/pictures.js';
import { useSystem } from '../fixture/system/system-under-test.js';

describe('the picture limit of an account (1 gateway, 1 robot-link, 1 renderer)', () => {
  const system = useSystem({ gateways: 1, links: 1, renderers: 1 }, async () => ({ redis: await privateRedis() }));

  it('an account that reaches its picture limit gets an error, and others can still show pictures', async () => {
    const [greedy, other] = [await system.tenant(), await system.tenant()];
    const { id } = await greedy.robot();
    const theirs = await other.robot();
    // Rendered pictures are small and uploads are deleted once rendered, so the account's share is filled beforehand.
    const bytes = Buffer.alloc(4 * 2 ** 20);
    for (let i = 0; i < 7; i += 1)
      await system.store.media.put(greedy.account, `${i}`.repeat(64), { kind: 'sound', format: 'pcm_s16le', rate: 16_000, data: bytes });
    await system.store.media.put(greedy.account, 'a'.repeat(64), {
      kind: 'sound',
      format: 'pcm_s16le',
      rate: 16_000,
      data: bytes.subarray(0, bytes.length - 8 * 1024 - 2000),
    });
    const image = noise();
    const { status, body } = await greedy.api().act(id, 'show', { image });
    assert.deepEqual([status, body.code], [503, 'storage_full'], JSON.stringify(body));
    assert.match(body.error, /32 MB/);
    assert.equal((await greedy.api().act(id, 'face', { emotion: 'happy' })).status, 200, 'what needs no picture works');
    assert.equal((await other.api().act(theirs.id, 'show', { image })).status, 200);
  });
});

function noise(): string {
  return picture(320, 240, (context) => {
    for (let y = 0; y < 240; y += 2) {
      for (let x = 0; x < 320; x += 2) {
        context.fillStyle = `rgb(${Math.random() * 255},${Math.random() * 255},${Math.random() * 255})`;
        context.fillRect(x, y, 2, 2);
      }
    }
  });
}
