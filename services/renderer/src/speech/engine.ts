import { ApiError, type SpeechJob } from '@perch/schema';

export interface SpeechEngine {
  /** Returns the voice for a job. @throws {ApiError} bad_argument whose field is voice or lang; its message lists some that exist */
  voiceFor(job: Pick<SpeechJob, 'voice' | 'lang'>): Promise<string>;
  /** Returns a WAV file, or samples without a header at `rate`: signed 16 bit little-endian, mono. Throws if the engine fails. */
  speak(text: string, voice: string, signal: AbortSignal): { rate: number; output: AsyncIterable<Uint8Array> };
}

const namedMax = 8;

/** Returns the error for a voice or language that does not exist. @param known existing ones; the message lists the first of them */
export function unknownVoice(field: 'voice' | 'lang', given: string, known: readonly string[]): ApiError {
  const more = known.length > namedMax ? ` and ${known.length - namedMax} more` : '';
  const what = field === 'voice' ? 'is not a voice of this service' : 'is not a language of the voices of this service';
  const some = known.length === 0 ? 'it has none that can be named' : `there are ${known.slice(0, namedMax).join(', ')}${more}`;
  return new ApiError('bad_argument', `${field}: "${given}" ${what}; ${some}`, { field });
}

/** Returns the tag and those it is a part of, in lower case with hyphens: `zh-Hant-TW` is `zh-hant-tw`, `zh-hant`, `zh`. */
export function widening(tag: string): string[] {
  const parts = tag.toLowerCase().replaceAll('_', '-').split('-');
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('-'));
}
