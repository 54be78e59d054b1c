/** The robot's speaker in the page: each sound played by Web Audio as it arrives, where the robot's own clock has it. */
import type { BrowserRobot, Sound } from '@perch/virtual-robot/browser';

/** Samples a second: the context runs at the rate the service sends, so that parts join without a click. */
export const soundRate = 16_000;
const bytesPerSample = 2;
/** So far ahead the first part is put, so that it is not already late. */
const leadS = 0.04;

export class SoundPlayer {
  readonly #robot: BrowserRobot;
  readonly #onChange: () => void;
  readonly #offs: (() => void)[];
  #context: AudioContext | null = null;
  #gain: GainNode | null = null;
  #muted = false;
  #sound: Sound | null = null;
  /** Of the sound, how many bytes are on their way to the ear, and when the next sample is due. */
  #bytes = 0;
  #dueS = 0;
  readonly #sources = new Set<AudioBufferSourceNode>();

  /** @param onChange called when `blocked` or `muted` is another */
  constructor(robot: BrowserRobot, onChange: () => void) {
    this.#robot = robot;
    this.#onChange = onChange;
    this.#offs = [
      robot.on('sound', (sound) => this.#begin(sound)),
      robot.on('samples', (sound) => sound === this.#sound && this.#more()),
      robot.on('playDone', ({ reason }) => {
        if (reason !== 'end') this.#silence();
        this.#sound = null;
      }),
      robot.on('change', () => this.#loudness()),
    ];
  }

  /** Browsers let a page make no sound before the person has touched it. */
  get blocked(): boolean {
    return this.#context?.state !== 'running';
  }

  get muted(): boolean {
    return this.#muted;
  }

  mute(muted: boolean): void {
    this.#muted = muted;
    this.#loudness();
    this.#onChange();
  }

  /** To be called from a press of a key or a touch; a sound that plays is heard from where it is. */
  async unlock(): Promise<void> {
    if (!this.#context) {
      const context = new AudioContext({ sampleRate: soundRate });
      this.#context = context;
      this.#gain = context.createGain();
      this.#gain.connect(context.destination);
      this.#loudness();
      context.addEventListener('statechange', () => {
        if (context.state === 'running') this.#join();
        this.#onChange();
      });
    }
    if (this.#context.state !== 'running') await this.#context.resume();
  }

  end(): void {
    for (const off of this.#offs) off();
    this.#silence();
    void this.#context?.close();
    this.#context = null;
  }

  #begin(sound: Sound, fromByte = 0): void {
    this.#silence();
    this.#sound = sound;
    this.#bytes = fromByte;
    this.#dueS = 0;
    this.#more();
  }

  /** Takes up a sound that began unheard. */
  #join(): void {
    const { playing } = this.#robot;
    if (playing?.started === true) this.#begin(playing, Math.floor((playing.playedMs * playing.rate) / 1000) * bytesPerSample);
  }

  #more(): void {
    const [context, gain, sound] = [this.#context, this.#gain, this.#sound];
    if (!context || !gain || !sound || context.state !== 'running') return;
    const pcm = sound.pcmFrom(this.#bytes);
    const samples = Math.floor(pcm.byteLength / bytesPerSample);
    if (samples === 0) return;
    this.#bytes += samples * bytesPerSample;
    const buffer = context.createBuffer(1, samples, sound.rate);
    buffer.copyToChannel(decoded(pcm, samples), 0);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(gain);
    source.addEventListener('ended', () => this.#sources.delete(source));
    this.#sources.add(source);
    const startS = this.#dueS > context.currentTime ? this.#dueS : context.currentTime + leadS;
    source.start(startS);
    this.#dueS = startS + samples / sound.rate;
  }

  #silence(): void {
    for (const source of this.#sources) source.stop();
    this.#sources.clear();
  }

  #loudness(): void {
    // Loudness goes about with the square.
    if (this.#gain) this.#gain.gain.value = this.#muted ? 0 : (this.#robot.volume / 100) ** 2;
  }
}

/** s16le as Web Audio has it, -1..1. */
function decoded(pcm: Uint8Array, samples: number): Float32Array<ArrayBuffer> {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const out = new Float32Array(samples);
  for (let index = 0; index < samples; index += 1) out[index] = view.getInt16(index * bytesPerSample, true) / 32_768;
  return out;
}
