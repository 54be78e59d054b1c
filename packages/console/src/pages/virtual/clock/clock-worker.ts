/** Timers in a worker: browsers throttle the timers of a hidden page to one per second, later one per minute. */

const timers = new Map<number, ReturnType<typeof setTimeout>>();
const port = globalThis as unknown as Worker;

port.addEventListener('message', ({ data: { id, ms } }: MessageEvent<{ id: number; ms: number | null }>) => {
  clearTimeout(timers.get(id));
  timers.delete(id);
  if (ms === null) return;
  timers.set(
    id,
    setTimeout(() => {
      timers.delete(id);
      port.postMessage(id);
    }, ms),
  );
});
