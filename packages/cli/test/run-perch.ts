/** Runs perch in this process. */
import assert from 'node:assert/strict';
import { runProgram } from '@perch/cli';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export async function runPerch(environment: Record<string, string>, args: readonly string[]): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await runProgram(args, { environment, out: (text) => (out += text), err: (text) => (err += text) });
  return { code, out, err };
}

/** Runs with --json, and returns the parsed line. */
export async function runPerchJson<T>(environment: Record<string, string>, args: readonly string[], codeWanted = 0): Promise<T> {
  const { code, out, err } = await runPerch(environment, [...args, '--json']);
  assert.equal(code, codeWanted, err);
  assert.equal(out.indexOf('\n'), out.length - 1, 'exactly one line');
  return JSON.parse(out) as T;
}
