/** Speech engine over HTTP, with the interface of OpenAI's `/v1/audio/speech`. The remote service detects the language of the text. */
import { unknownVoice, type SpeechEngine } from './engine.js';

export interface HttpEngineOptions {
  url: string;
  key: string | null;
  model: string;
  /** Sample rate of its output, which has no header, Hz. */
  rate: number;
  /** The first is the default. */
  voices: readonly string[];
}

export class HttpEngine implements SpeechEngine {
  readonly #options: HttpEngineOptions;

  constructor(options: HttpEngineOptions) {
    this.#options = options;
  }

  voiceFor({ voice }: { voice?: string }): Promise<string> {
    const { voices } = this.#options;
    if (voice !== undefined && !voices.includes(voice)) return Promise.reject(unknownVoice('voice', voice, voices));
    return Promise.resolve(voice ?? voices[0]!);
  }

  speak(text: string, voice: string, signal: AbortSignal): { rate: number; output: AsyncIterable<Uint8Array> } {
    return { rate: this.#options.rate, output: this.#output(text, voice, signal) };
  }

  async *#output(text: string, voice: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { url, key, model } = this.#options;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key !== null && { Authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, input: text, voice, response_format: 'pcm' }),
      signal,
      // The text goes to the configured address only.
      redirect: 'error',
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new Error(`the speech service answered ${response.status}`);
    }
    yield* response.body;
  }
}
