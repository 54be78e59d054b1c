/** Samples from -1 to 1, and signed 16 bit little-endian. */

export function toPcm(samples: Float32Array): Buffer {
  const pcm = Buffer.alloc(samples.length * 2);
  for (let at = 0; at < samples.length; at += 1) pcm.writeInt16LE(Math.round(samples[at]! * 32_767), at * 2);
  return pcm;
}

/** @param channels interleaved; their mean is returned. An incomplete sample at the end is left out */
export function fromPcm(pcm: Buffer, channels = 1): Float32Array {
  const samples = new Float32Array(Math.floor(pcm.length / (2 * channels)));
  for (let at = 0; at < samples.length; at += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += pcm.readInt16LE((at * channels + channel) * 2);
    samples[at] = sum / channels / 32_768;
  }
  return samples;
}
