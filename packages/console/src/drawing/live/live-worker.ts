/** Draws face and LEDs in a worker, so that they cost the page's main thread nothing. */
import { Animator } from './animator.js';
import type { LiveMessage } from './scene.js';

// What the first format of each kind loads is shared by the threads of a page in Chromium: loaded here, it does not block the page.
new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }).format();
new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(0.5);
[...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment('a')].at(0);

let animator: Animator | null = null;

globalThis.addEventListener('message', ({ data }: MessageEvent<LiveMessage>) => {
  if (data.kind === 'canvases') animator = new Animator(data.canvases);
  else if (data.kind === 'scene') animator?.show(data.scene);
  else if (data.kind === 'scale') animator?.setScale(data.scale);
  else animator?.setSeen(data.isSeen);
});
