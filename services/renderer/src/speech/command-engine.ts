/** Any program that reads text from its standard input and writes samples or a WAV file to its standard output, such as Piper. */
import { engineOutput } from './engine-process.js';
import { unknownVoice, widening, type SpeechEngine } from './engine.js';

/** Stands for the name of the voice in an argument. */
const voicePlace = '{voice}';

export interface CommandEngineOptions {
  /** Program and arguments, separated by spaces. */
  command: string;
  path: string;
  /** Of samples without a header, Hz. */
  rate: number;
  /** The first is the default. */
  voices: readonly string[];
}

export class CommandEngine implements SpeechEngine {
  readonly #command: readonly string[];
  readonly #path: string;
  readonly #rate: number;
  readonly #voices: readonly string[];

  constructor({ command, path, rate, voices }: CommandEngineOptions) {
    this.#command = command.split(/\s+/).filter((part) => part !== '');
    this.#path = path;
    this.#rate = rate;
    this.#voices = voices;
  }

  voiceFor(wanted: { voice?: string; lang?: string }): Promise<string> {
    return Promise.resolve(voiceAmong(this.#voices, wanted));
  }

  speak(text: string, voice: string, signal: AbortSignal): { rate: number; output: AsyncIterable<Uint8Array> } {
    const command = this.#command.map((part) => part.replaceAll(voicePlace, voice));
    // Piper speaks line by line.
    return { rate: this.#rate, output: engineOutput({ command, path: this.#path }, `${text.replaceAll(/\s+/g, ' ')}\n`, signal) };
  }
}

/** Voices whose names begin with a language, such as Piper's `de_DE-thorsten-medium`, are found by it. @throws {ApiError} bad_argument */
function voiceAmong(voices: readonly string[], { voice, lang }: { voice?: string; lang?: string }): string {
  if (voice !== undefined) {
    if (!voices.includes(voice)) throw unknownVoice('voice', voice, voices);
    return voice;
  }
  if (lang === undefined) return voices[0] ?? '';
  for (const tag of widening(lang)) {
    const found = voices.find((name) => `${name.toLowerCase().replaceAll('_', '-')}-`.startsWith(`${tag}-`));
    if (found !== undefined) return found;
  }
  throw unknownVoice('lang', lang, voices);
}
