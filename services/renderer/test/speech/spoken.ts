import assert from 'node:assert/strict';
import type { SpeechJob } from '@perch/schema';
import type { SpeechEngine } from '../../src/speech/engine.js';
import { speak } from '../../src/speech/speak.js';

export const rate = 16_000;

export class Take {
  readonly chunks: Buffer[] = [];
  readonly times: number[] = [];
  append(chunk: Buffer): Promise<void> {
    if (chunk.length > 0) {
      this.chunks.push(chunk);
      this.times.push(performance.now());
    }
    return Promise.resolve();
  }
}

export async function spoken(
  engine: SpeechEngine,
  text: string,
  more: Partial<SpeechJob> = {},
  take = new Take(),
  withinMs?: number,
): Promise<Buffer> {
  const job: SpeechJob = { kind: 'speech', account: 'a', hash: 'h', text, rate, ...more };
  const made = await speak(engine, job, take, new AbortController().signal, withinMs);
  assert.deepEqual([made.kind, (made as { rate: number }).rate], ['sound', more.rate ?? rate]);
  return made.data;
}

export const seconds = (data: Buffer, at = rate): number => data.length / 2 / at;
