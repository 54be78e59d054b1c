import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { onSharedSystems } from '../fixture/system/shared-systems.js';
import type { Tenant } from '../fixture/system/system-under-test.js';

const indexed = 3;
const rgb = 2;

/** Returns the card that a robot with these formats gets, which fails a robot that checks what it reads. */
async function card(tenant: Tenant, formats: string[], text: string): Promise<Buffer> {
  const { id, robot } = await tenant.robot({ screen: { formats } });
  const { status, body } = await tenant.api().act(id, 'show', { text, title: 'Formats' });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(robot.violations, []);
  return Buffer.from(robot.screen.card!.picture);
}

/** Of the header of a PNG. */
function colorType(png: Buffer): number {
  assert.equal(png.toString('latin1', 1, 4), 'PNG');
  return png[25]!;
}

onSharedSystems('formats of pictures', (system) => {
  it('a robot that reads png8 gets a card with a palette, in at most two thirds of the bytes that other robots get', async () => {
    const tenant = await system().tenant();
    const text = `The quick brown fox jumps over the lazy dog. ${randomUUID()}`;
    const small = await card(tenant, ['png8', 'png', 'jpeg'], text);
    const large = await card(tenant, ['png', 'jpeg'], text);
    assert.deepEqual([colorType(small), colorType(large)], [indexed, rgb]);
    assert.ok(small.length * 1.5 <= large.length, `${small.length} and ${large.length} bytes`);
  });

  it('a robot that also names formats nobody knows gets its cards', async () => {
    const tenant = await system().tenant();
    assert.equal(colorType(await card(tenant, ['webp', 'png'], `One ${randomUUID()}`)), rgb);
  });
});
