/** The process in which a renderer draws, as it is built. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../services/renderer/dist/render-main.js', import.meta.url));
const place = { x: 10, y: 10, w: 300, h: 220, sizeMax: 60, sizeMin: 20, linesMax: 3, align: 'center', valign: 'middle', weight: 700 };
const scene = { w: 320, h: 240, background: '#0a0d14', boxes: [{ kind: 'text', text: 'Ready', color: '#ffffff', ...place }] };
const job = { kind: 'draw', account: 'a', hash: 'h', scene, uploads: [], formats: ['png'], bytesMax: 98_304 };

/** Returns how long a process takes from its start until it is ready, and until its first card is drawn, ms. */
async function start(): Promise<{ ready: number; drawn: number }> {
  const began = performance.now();
  const child = fork(program, { serialization: 'advanced', env: {}, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    assert.deepEqual(await once(child, 'message').then(([message]) => message as unknown), { t: 'ready' });
    const ready = performance.now() - began;
    child.send({ job, uploads: new Map() });
    const [{ t }] = (await once(child, 'message')) as [{ t: string }];
    assert.equal(t, 'made');
    return { ready, drawn: performance.now() - began };
  } finally {
    child.kill('SIGKILL');
  }
}

describe('a render process', function () {
  this.timeout(60_000);

  it('is ready within 400 ms of its start', async () => {
    const took: Awaited<ReturnType<typeof start>>[] = [];
    // The least of several: a busy machine delays processes.
    for (let attempt = 0; attempt < 8 && !took.some(({ ready }) => ready <= 400); attempt += 1) took.push(await start());
    assert.ok(took.at(-1)!.ready <= 400, JSON.stringify(took));
  });
});
