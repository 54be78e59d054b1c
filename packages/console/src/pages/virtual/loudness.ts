import { timings } from '@perch/screen/own-screen';
import type { Sound } from '@perch/virtual-robot/browser';

const bytesPerSample = 2;
/** Root mean square of a sound, as a share of full scale, at which the mouth is wide open. */
const loud = 0.22;

export class Loudness {
  #sound: Sound | null = null;
  #levels: readonly number[] = [];

  /** Returns one value (0..1) for every `timings.talk.level` of the sound that has arrived. */
  of(sound: Sound): readonly number[] {
    if (sound !== this.#sound) {
      this.#sound = sound;
      this.#levels = [];
    }
    const step = Math.round((timings.talk.level / 1000) * sound.rate) * bytesPerSample;
    const pcm = sound.pcmFrom(this.#levels.length * step);
    const whole = Math.floor(pcm.byteLength / step);
    if (whole > 0)
      this.#levels = [...this.#levels, ...Array.from({ length: whole }, (_, index) => levelOf(pcm.subarray(index * step, (index + 1) * step)))];
    return this.#levels;
  }
}

function levelOf(pcm: Uint8Array): number {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  let sum = 0;
  for (let at = 0; at < pcm.byteLength; at += bytesPerSample) sum += (view.getInt16(at, true) / 32_768) ** 2;
  return Math.min(1, Math.sqrt(sum / (pcm.byteLength / bytesPerSample)) / loud);
}
