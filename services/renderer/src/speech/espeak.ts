/** espeak-ng: a small engine with over a hundred languages, which needs no model and about a hundredth of the time that the speech takes. */
import { engineOutput, outputOf, type EngineProgram } from './engine-process.js';
import { unknownVoice, widening, type SpeechEngine } from './engine.js';

const listWithinMs = 5000;
const wavRate = 22_050;

interface Voices {
  /** By tag or other name of the language: the tag. */
  languages: ReadonlyMap<string, string>;
  tags: readonly string[];
  /** Added to a tag with `+`. */
  variants: ReadonlySet<string>;
}

export class Espeak implements SpeechEngine {
  readonly #program: string;
  readonly #path: string;
  readonly #defaultVoice: string;
  #voices: Promise<Voices> | null = null;

  constructor(program: string, path: string, defaultVoice = 'en') {
    this.#program = program;
    this.#path = path;
    this.#defaultVoice = defaultVoice;
  }

  async voiceFor({ voice, lang }: { voice?: string; lang?: string }): Promise<string> {
    if (voice === undefined && lang === undefined) return this.#defaultVoice;
    const { languages, tags, variants } = await this.#list();
    if (voice !== undefined) {
      const [tag, variant, ...rest] = voice.split('+');
      const known = languages.get(tag!.toLowerCase());
      if (known === undefined || rest.length > 0 || (variant !== undefined && !variants.has(variant))) throw unknownVoice('voice', voice, tags);
      return variant === undefined ? known : `${known}+${variant}`;
    }
    const found = widening(lang!).find((tag) => languages.has(tag));
    if (found !== undefined) return languages.get(found)!;
    const [language] = widening(lang!).slice(-1);
    const relative = tags.find((tag) => tag.startsWith(`${language}-`));
    if (relative === undefined) throw unknownVoice('lang', lang!, tags);
    return relative;
  }

  speak(text: string, voice: string, signal: AbortSignal): { rate: number; output: AsyncIterable<Uint8Array> } {
    // Two brackets begin a notation of phonemes, U+0001 a command; U+0000 ends the text.
    const plain = text.replaceAll('[[', '[ [').replaceAll(/[^\P{Cc}\n]/gu, ' ');
    return { rate: wavRate, output: engineOutput(this.#called('-v', voice, '-b', '1', '--stdin', '--stdout'), plain, signal) };
  }

  #called(...args: string[]): EngineProgram {
    return { command: [this.#program, ...args], path: this.#path };
  }

  #list(): Promise<Voices> {
    const signal = AbortSignal.timeout(listWithinMs);
    this.#voices ??= Promise.all([outputOf(this.#called('--voices'), signal), outputOf(this.#called('--voices=variant'), signal)]).then(
      ([languages, variants]) => voicesOf(languages, variants),
      (error: unknown) => {
        this.#voices = null;
        throw error;
      },
    );
    return this.#voices;
  }
}

/** Reads lines such as ` 5  cmn  --/M  Chinese_(Mandarin,_latin_as_English) sit/cmn  (zh-cmn 5)(zh 5)`. */
function voicesOf(listed: string, listedVariants: string): Voices {
  const languages = new Map<string, string>();
  const tags: string[] = [];
  const rows = listed
    .split('\n')
    .slice(1)
    .filter((row) => row.trim() !== '');
  for (const row of rows) {
    const tag = row.trim().split(/\s+/)[1]!.toLowerCase();
    if (!languages.has(tag)) tags.push(tag);
    languages.set(tag, tag);
  }
  for (const row of rows) {
    const tag = row.trim().split(/\s+/)[1]!.toLowerCase();
    for (const [, other] of row.matchAll(/\(([a-z0-9-]+) \d+\)/gi))
      if (!languages.has(other!.toLowerCase())) languages.set(other!.toLowerCase(), tag);
  }
  const variants = [...listedVariants.matchAll(/!v\/(\S+)/g)].map(([, name]) => name!);
  return { languages, tags, variants: new Set(variants) };
}
