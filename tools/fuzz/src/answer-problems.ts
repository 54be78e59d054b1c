import { errorCodes, isObject } from '@perch/schema';
import type { Verdict } from './verdicts.js';
import type { ServedAction } from './served.js';

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  tookMs: number;
}

/** Time limit of a call that is not held open, ms: a robot's command, and some slack. */
export const answeredWithinMs = 15_000;

/** The run limits how many of these are accepted. */
const busy = ['robot_busy', 'busy', 'no_ack', 'outcome_unknown', 'render_failed', 'speech_failed', 'storage_full', 'service_unavailable'];

export type Codes = Readonly<Record<string, { status: number }>>;

export interface Failed {
  error: string;
  code: string;
  request_id: string;
  field?: string;
}

/** Checks the form, code and request id of an answer. @param secret text in everything of the other account @param codes allowed for a failure */
export function envelopeProblem(answer: Answer, secret: string, codes: Codes = errorCodes): string | null {
  const { status, headers, text } = answer;
  if (text.includes(secret)) return "something of another account's";
  if (status === 500) return 'an error of the service';
  if (!/^application\/(?:problem\+)?json\b/.test(headers['content-type'] ?? '')) return `content type ${headers['content-type'] ?? 'missing'}`;
  const body = parsed(text);
  if (body === null) return 'not a JSON object';
  // The OpenAPI document and the export of an account have their own formats.
  if (status === 200)
    return body['ok'] === true || body['openapi'] !== undefined || body['format'] === 'perch-account-export' ? null : '200 without ok: true';
  const { ok, error, code, request_id: requestId } = body;
  if (ok !== false) return 'a failure without ok: false';
  if (typeof error !== 'string' || error === '' || error.length > 2000)
    return `an error that is no sentence: ${JSON.stringify(error)?.slice(0, 100)}`;
  if (typeof code !== 'string' || codes[code]?.status !== status) return `code ${String(code)} with status ${status}`;
  if (typeof requestId !== 'string' || requestId === '') return 'no request_id';
  if (headers['x-request-id'] !== undefined && headers['x-request-id'] !== requestId) return 'a request_id other than in x-request-id';
  // Nobody knows when a queue has room: its entries wait for people.
  if (((status === 429 && code !== 'queue_full') || code === 'service_unavailable') && !/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
    return `${status} without Retry-After`;
  return null;
}

export function actionProblem(action: ServedAction, verdict: Verdict, answer: Answer, secret: string): string | null {
  const problem = envelopeProblem(answer, secret);
  if (problem !== null) return problem;
  if (answer.tookMs > answeredWithinMs) return `answered after ${Math.round(answer.tookMs)} ms`;
  const body = parsed(answer.text)!;
  const { status } = answer;
  const { code, field } = body as unknown as Failed;
  if (status === 200) {
    if (verdict.kind === 'refused') return `taken, although ${verdict.fields.join(' or ') || 'the body'} is wrong`;
    return action.answerFits(body) ? null : `an answer that does not fit its schema: ${JSON.stringify(action.answerFits.errors?.[0])}`;
  }
  if (status === 503 && busy.includes(code)) return null;
  if (code === 'card_showing' && (action.name === 'say' || action.name === 'scene')) return null;
  return verdict.kind === 'refused' ? refusalProblem(verdict, code, field) : takenProblem(action, verdict, code, field);
}

function refusalProblem({ codes, fields }: Extract<Verdict, { kind: 'refused' }>, code: string, field: string | undefined): string | null {
  if (!codes.includes(code)) return `refused with ${code}, not ${codes.join(' or ')}`;
  if (field === undefined) return fields.includes('') ? null : `an error without field; it is ${fields.slice(0, 5).join(' or ')}`;
  return fields.some((wanted) => sameField(field, wanted)) ? null : `blames ${field}; it is ${fields.slice(0, 5).join(' or ')}`;
}

function takenProblem(
  { name }: ServedAction,
  { pictures }: Extract<Verdict, { kind: 'taken' }>,
  code: string,
  field: string | undefined,
): string | null {
  const isUnknown = pictures.some((picture) => picture.verdict === 'unknown' && picture.field === field);
  if (isUnknown && (code === 'bad_picture' || code === 'image_unreachable')) return null;
  // Whether there is an engine, and its voices, depend on the machine.
  if ((code === 'not_offered' || field?.endsWith('voice') === true || field?.endsWith('lang') === true) && (name === 'speak' || name === 'scene'))
    return null;
  // Whether a question fits depends on the fonts.
  if (code === 'not_whole' && (name === 'ask' || name === 'scene') && field !== undefined) return null;
  // A robot may reject a command that fits its own schema, without naming a field.
  if (code === 'bad_argument' && (name === 'scene' ? /^actions\[\d+\]$/.test(field ?? '') : name === 'command' && field === undefined)) return null;
  return `refused with ${code}${field === undefined ? '' : ` for ${field}`}, although it fits`;
}

/** Equal, one inside the other, or a long key cut short. */
export function sameField(told: string, wanted: string): boolean {
  const [a, b] = [told, wanted].map((path) => path.replace(/\.\.\./g, '')) as [string, string];
  return inside(a, b) || inside(b, a) || (told.includes('...') && b.startsWith(a));
}

function inside(inner: string, outer: string): boolean {
  return outer !== '' && inner.startsWith(outer) && ['', '.', '['].includes(inner.slice(outer.length, outer.length + 1));
}

export function parsed(text: string): Record<string, unknown> | null {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}
