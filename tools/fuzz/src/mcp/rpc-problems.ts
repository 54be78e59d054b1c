import { isDeepStrictEqual } from 'node:util';
import { errorCodes } from '@perch/schema';
import { actionProblem, envelopeProblem, parsed, type Answer } from '../answer-problems.js';
import type { ServedAction } from '../served.js';
import { messageIn, type Era } from './rpc.js';
import type { Verdict } from '../verdicts.js';
import type { ToolVerdict } from './served-tools.js';

const invalidParams = -32_602;
const statusOf: Readonly<Record<string, { status: number }>> = errorCodes;

/** Holds for every answer of /mcp: no content of another account, no internal error, and an HTTP status that fits the result or error. */
export function rpcProblem(answer: Answer, secret: string): string | null {
  const { status, text } = answer;
  if (text.includes(secret)) return "something of another account's";
  if (status >= 500 && status !== 503) return 'an error of the service';
  if (status === 202) return text === '' ? null : 'words for a notification';
  const message = messageIn(answer);
  if (message === null) return 'no message';
  if (message['jsonrpc'] === undefined) return envelopeProblem(answer, secret);
  const { jsonrpc, id, result, error } = message;
  if (jsonrpc !== '2.0') return `jsonrpc ${JSON.stringify(jsonrpc)}`;
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return 'an answer without id';
  if ((result === undefined) === (error === undefined)) return 'neither a result nor an error, or both';
  if (error === undefined) return status === 200 ? null : `a result with status ${status}`;
  const { code, message: sentence } = error as { code?: unknown; message?: unknown };
  if (!Number.isInteger(code)) return `code ${JSON.stringify(code)}`;
  // The SDK repeats an unknown revision, whose length is limited by that of the headers.
  if (typeof sentence !== 'string' || sentence === '' || sentence.length > 20_000) return 'an error that is no sentence';
  // The SDK reports invalid parameters as an internal error with a list of problems.
  if (code === -32_603 && !sentence.startsWith('[')) return 'an error of the service';
  return status === 200 || (status >= 400 && status < 500) ? null : `an error with status ${status}`;
}

export function toolProblem(
  tool: ServedAction,
  verdict: ToolVerdict,
  { id, era }: { id: number; era: Era },
  answer: Answer,
  secret: string,
): string | null {
  const problem = rpcProblem(answer, secret);
  if (problem !== null) return problem;
  const message = messageIn(answer)!;
  const { result, error } = message as { result?: Record<string, unknown>; error?: { code: number; message: string } };
  if (message['id'] !== id) return `an answer to ${JSON.stringify(message['id'] ?? answer.text.slice(0, 100))}`;
  if (verdict.kind === 'no call') return error?.code === invalidParams ? null : 'taken, although there are no arguments';
  if (result === undefined) return `a protocol error for a call: ${error?.code} ${error?.message}`;
  if (era === 'modern' && (result['resultType'] !== 'complete' || result['_meta'] === undefined)) return 'a result that does not say what it is';
  const isRefused = result['isError'] === true;
  const either: Verdict = isRefused
    ? { kind: 'refused', codes: 'codes' in verdict ? verdict.codes : [], fields: ['', 'wait'] }
    : { kind: 'taken', pictures: [], heldMs: 0 };
  return resultProblem(tool, verdict.kind === 'either' ? either : verdict, result, answer.tookMs, secret);
}

function resultProblem(
  tool: ServedAction,
  verdict: Verdict,
  { content, structuredContent, isError }: Record<string, unknown>,
  tookMs: number,
  secret: string,
): string | null {
  const [first] = Array.isArray(content) ? (content as { type?: unknown; text?: unknown }[]) : [];
  if (first?.type !== 'text' || typeof first.text !== 'string') return 'a result without text';
  const body = parsed(first.text);
  if (body === null) return 'a text that is no JSON object';
  if (isError === true && structuredContent !== undefined) return 'an error with structured content';
  if (isError !== true && !isDeepStrictEqual(structuredContent, body)) return 'structured content other than the text';
  const { code, error, field, next, retry_after_s: retryAfterS } = body;
  const status = isError === true ? (statusOf[String(code)]?.status ?? 0) : 200;
  const headers = { 'content-type': 'application/json', ...(retryAfterS === undefined ? {} : { 'retry-after': JSON.stringify(retryAfterS) }) };
  const problem = actionProblem(tool, verdict, { status, headers, text: first.text, tookMs }, secret);
  if (problem !== null || isError !== true) return problem;
  if (typeof next !== 'string' || next === '') return 'an error that does not say what to do next';
  if (field === undefined) return null;
  const named = typeof field === 'string' ? field : JSON.stringify(field);
  return String(error).includes(named) ? null : `a sentence that does not name ${named}`;
}
