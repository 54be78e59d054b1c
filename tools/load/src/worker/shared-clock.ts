/** A monotonic clock that the processes of this machine share. `performance.now()` starts at 0 in each process. */
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

export function sharedNow(): number {
  return performance.now() + offsetMs;
}
