/** Draws face and LEDs in a worker, so that they cost the page's main thread nothing. */
import { Animator } from './animator.js';
import type { LiveMessage } from './scene.js';

let animator: Animator | null = null;

globalThis.addEventListener('message', ({ data }: MessageEvent<LiveMessage>) => {
  if (data.kind === 'canvases') animator = new Animator(data.canvases);
  else if (data.kind === 'scene') animator?.show(data.scene);
  else if (data.kind === 'scale') animator?.setScale(data.scale);
  else animator?.setSeen(data.isSeen);
});
