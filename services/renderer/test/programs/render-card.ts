/** Draws a card in a process of a pool and prints the format. This process does not load @napi-rs/canvas, as the service does not. */
import { cardScene } from '@perch/screen';
import { RenderPool } from '../../src/render-pool.js';

const pool = new RenderPool({ processes: 1, jobMsMax: 30_000 });
try {
  await pool.start();
  const scene = cardScene({ text: 'Hello' });
  const made = await pool.render({ kind: 'draw', account: 'a-test', hash: 'h', scene, uploads: [], formats: ['png', 'jpeg'], bytesMax: 98_304 });
  process.stdout.write(made.kind === 'picture' ? made.format : made.kind);
} finally {
  await pool.close();
}
