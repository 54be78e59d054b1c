/** A limiter with look-ahead: lowers the gain before a peak and raises it slowly after it, so that the waveform is not distorted as by clipping. */

const lookAheadMs = 6;
/** Time constant with which the gain returns to 1. */
const releaseMs = 60;

/** The gain for each sample that keeps `peaks * gain` at most `ceiling`. @param peaks true peak at each sample */
export function limiterGains(peaks: Float32Array, ceiling: number, rate: number): Float32Array {
  const reach = Math.max(1, Math.round((lookAheadMs * rate) / 1000));
  const rise = 1 - Math.exp(-1000 / (releaseMs * rate));
  const gains = lowestAround(peaks, ceiling, reach);
  let gain = 1;
  for (let at = 0; at < gains.length; at += 1) {
    gain = Math.min(gains[at]!, gain + (1 - gain) * rise);
    gains[at] = gain;
  }
  // Each mean is over samples that all know of the peak in the middle, so that it stays below what that peak needs.
  return means(means(gains, reach >> 1), reach >> 1);
}

/** Returns the lowest gain that any peak within `reach` samples needs. */
function lowestAround(peaks: Float32Array, ceiling: number, reach: number): Float32Array {
  const gains = new Float32Array(peaks.length);
  // Indices of peaks within reach, of falling height.
  const queue = new Int32Array(peaks.length);
  let [head, tail] = [0, 0];
  for (let at = 0; at < peaks.length + reach; at += 1) {
    if (at < peaks.length) {
      while (tail > head && peaks[queue[tail - 1]!]! <= peaks[at]!) tail -= 1;
      queue[tail] = at;
      tail += 1;
    }
    const middle = at - reach;
    if (middle < 0) continue;
    while (queue[head]! < middle - reach) head += 1;
    gains[middle] = Math.min(1, ceiling / Math.max(peaks[queue[head]!]!, 1e-9));
  }
  return gains;
}

function means(values: Float32Array, reach: number): Float32Array {
  const smooth = new Float32Array(values.length);
  let sum = 0;
  let count = 0;
  for (let at = -reach; at < values.length; at += 1) {
    if (at + reach < values.length) {
      sum += values[at + reach]!;
      count += 1;
    }
    if (at - reach > 0) {
      sum -= values[at - reach - 1]!;
      count -= 1;
    }
    if (at >= 0) smooth[at] = sum / count;
  }
  return smooth;
}
