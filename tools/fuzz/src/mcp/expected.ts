import type { Answer } from '../answer-problems.js';
import { anyKey, requestOf, type Shape } from '../http/shape.js';
import { claim, messageIn } from './rpc.js';

export const accept = 'accept: application/json, text/event-stream';
export const host = 'localhost';

export interface Expected {
  statuses: readonly (number | 'closed')[];
  /** Unset: a result is expected. */
  codes?: readonly number[];
  orResult?: boolean;
}

export const served: Expected = { statuses: [200] };
export const anything: Expected = {
  statuses: [200, 202, 400, 404, 406],
  codes: [-32_700, -32_600, -32_601, -32_602, -32_603, -32_000, -32_020, -32_022],
  orResult: true,
};

export const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
export const modernList = { ...list, params: { _meta: claim } };

export function messageShape(what: string, body: string, expected: Expected, headers: readonly string[] = [accept]): Shape {
  return {
    what,
    parts: [requestOf({ path: '/mcp', key: anyKey, host, headers }, body)],
    answers: [expected.statuses],
    check: (answer) => expectationProblem(answer, expected),
  };
}

export function expectationProblem(
  answer: Pick<Answer, 'status' | 'headers' | 'text'>,
  { codes, orResult = codes === undefined }: Expected,
): string | null {
  if (answer.status === 202) return null;
  const { result, error } = (messageIn(answer) ?? {}) as { result?: unknown; error?: { code: number; message: string } };
  if (result !== undefined) return orResult ? null : 'a result';
  if (codes === undefined) return `an error: ${error?.code} ${error?.message}`;
  return error === undefined || codes.includes(error.code) ? null : `code ${error.code}, not ${codes.join(' or ')}`;
}
