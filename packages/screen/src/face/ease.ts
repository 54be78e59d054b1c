/** Returns 0 before 0, 1 after 1, and between them a share that starts and ends without a jerk. */
export function eased(share: number): number {
  const t = Math.min(1, Math.max(0, share));
  return t * t * (3 - 2 * t);
}

/** Returns a number from 0 to below 1 that looks random, the same for the same seed and index. */
export function chance(seed: number, index: number): number {
  let h = (Math.imul(seed, 0x9e3779b1) + Math.imul(index, 0x7feb352d)) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
