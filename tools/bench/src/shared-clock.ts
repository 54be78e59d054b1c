/** ms; the same in all processes of this machine, unlike `performance.now()`. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
