/**
 * Makes one format of each kind in a worker, which then ends. In Chromium, the threads of a page share what the first one loads: up to 100 ms that would
 * otherwise block the page where it first shows a time or a number.
 */
export function loadFormats(): void {
  // It ends by itself.
  new Worker(new URL('./formats-worker.ts', import.meta.url), { type: 'module' });
}
