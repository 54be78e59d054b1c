/** Prints how long the first emoji of this process takes, ms, after a first card without one. */
import { cardScene } from '@perch/screen';
import { drawScene } from '../../src/draw-scene.js';

await drawScene(cardScene({ text: 'Hello' }), new Map());
const began = performance.now();
await drawScene(cardScene({ text: '👩🏽‍🚀' }), new Map());
process.stdout.write(String(performance.now() - began));
