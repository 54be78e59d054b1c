/** Plays sounds with Web Audio as they arrive, in step with the robot's clock. */
import type { BrowserRobot, Sound } from '@perch/virtual-robot/browser';

/** Samples per second: the context runs at the rate of the service, so that chunks join without clicks. */
export const soundRate = 16_000;
const bytesPerSample = 2;
/** Delay of the first chunk, so that it is not late, seconds. */
const leadS = 0.04;
/** Time within which a browser that has an output turns sound on, ms. */
const turnOnMs = 2000;

export class SoundPlayer {
  readonly #robot: BrowserRobot;
  readonly #onChange: () => void;
  readonly #offs: (() => void)[];
  #context: AudioContext | null = null;
  #gain: GainNode | null = null;
  #muted = false;
  #hasNoOutput = false;
  #turnOnTimer: ReturnType<typeof setTimeout> | undefined;
  #sound: Sound | null = null;
  /** Bytes of the sound that are scheduled, and time of the next sample. */
  #bytes = 0;
  #dueS = 0;
  readonly #sources = new Set<AudioBufferSourceNode>();

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
      robot.on('change', () => this.#updateGain()),
    ];
  }

  /** Whether the browser blocks sound: it does until the user has interacted with the page. */
  get blocked(): boolean {
    return this.#context?.state !== 'running';
  }

  /** Whether sound stayed off after the user turned it on: without an output, browsers neither turn it on nor report an error. */
  get hasNoOutput(): boolean {
    return this.#hasNoOutput && this.blocked;
  }

  get muted(): boolean {
    return this.#muted;
  }

  mute(muted: boolean): void {
    this.#muted = muted;
    this.#updateGain();
    this.#onChange();
  }

  /** Enables sound as the user asked for it, and finds out whether it comes on. */
  turnOn(): void {
    clearTimeout(this.#turnOnTimer);
    const report = (hasNoOutput: boolean): void => {
      this.#hasNoOutput = hasNoOutput;
      this.#onChange();
    };
    report(false);
    this.#turnOnTimer = setTimeout(() => report(this.blocked), turnOnMs);
    this.unlock().catch(() => report(true));
  }

  /** Enables sound; call it from a key press or touch. A playing sound continues at its current position. */
  async unlock(): Promise<void> {
    if (!this.#context) {
      const context = new AudioContext({ sampleRate: soundRate });
      this.#context = context;
      this.#gain = context.createGain();
      this.#gain.connect(context.destination);
      this.#updateGain();
      context.addEventListener('statechange', () => {
        if (context.state === 'running') this.#resumeSound();
        this.#onChange();
      });
    }
    if (this.#context.state !== 'running') await this.#context.resume();
  }

  end(): void {
    for (const off of this.#offs) off();
    clearTimeout(this.#turnOnTimer);
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

  /** Continues a sound that started while sound was blocked. */
  #resumeSound(): void {
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

  #updateGain(): void {
    // Perceived loudness grows roughly with the square of the volume.
    if (this.#gain) this.#gain.gain.value = this.#muted ? 0 : (this.#robot.volume / 100) ** 2;
  }
}

function decoded(pcm: Uint8Array, samples: number): Float32Array<ArrayBuffer> {
  const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const out = new Float32Array(samples);
  for (let index = 0; index < samples; index += 1) out[index] = view.getInt16(index * bytesPerSample, true) / 32_768;
  return out;
}
