import type { Problem } from '../drive.js';
import { answeredWithinMs, type Answer } from '../answer-problems.js';
import type { FuzzSystem } from '../fuzz-system.js';
import type { Tally } from '../tally.js';
import { exchangeRaw, type RawReceived } from './raw-exchange.js';
import { anyKey, shownShape, type Shape } from './shape.js';

export interface ShapeSenderOptions {
  system: FuzzSystem;
  tally: Tally;
  target: string;
  /** Checks that every answer passes, whatever was sent. */
  commonProblem: (answer: Answer) => string | null;
}

/** Incomplete requests are closed before the service would do it; the slow target tests its timeouts. */
const halfMs = 150;

export function shapeSender({ system, tally, target, commonProblem }: ShapeSenderOptions): (shape: Shape) => Promise<Problem | null> {
  const port = Number(new URL(system.gateway()).port);
  return async (shape) => {
    const { half = false, bodiless } = shape;
    const key = system.nextKey();
    const keyed = { ...shape, parts: shape.parts.map((part) => withKey(part, key)) };
    const received = await exchangeRaw({
      port,
      parts: keyed.parts,
      ...(bodiless === undefined ? {} : { bodiless }),
      answers: half ? Infinity : shape.answers.length,
      withinMs: half ? halfMs : answeredWithinMs,
    });
    tally.sent(target);
    for (const { status, tookMs } of received.answers) tally.answered(target, String(status), tookMs, shape.what);
    if (received.answers.length === 0) tally.answered(target, received.closed ? 'closed' : 'half, let go');
    const what = shapeProblem(shape, received, commonProblem);
    if (what === null) return null;
    const answer = received.answers.map(({ status, text }) => `${status} ${text}`).join(' | ');
    return { what: `${shape.what}: ${what}`, request: shownShape(keyed), answer };
  };
}

function withKey(part: Buffer, key: string): Buffer {
  const at = part.indexOf(anyKey);
  if (at === -1) return part;
  const copy = Buffer.from(part);
  copy.write(key, at, 'latin1');
  return withKey(copy, key);
}

function shapeProblem(
  { answers: expected, half = false, bodiless = () => false, check }: Shape,
  { answers, rest, closed }: RawReceived,
  commonProblem: ShapeSenderOptions['commonProblem'],
): string | null {
  if (rest !== '') return `what came is no answer: ${JSON.stringify(rest.slice(0, 200))}`;
  if (half)
    return answers.length === 0 || (expected.length === 0 && answers.every(({ status }) => status < 500)) ? null : 'an answer to half a request';
  if (answers.length > expected.length) return `${answers.length} answers, not ${expected.length}`;
  for (const [n, statuses] of expected.entries()) {
    const answer = answers[n];
    if (answer === undefined) return statuses.includes('closed') && closed ? null : `no answer${closed ? ', but closed' : ' in time'}`;
    const problem = bodiless(n) ? null : commonProblem(answer);
    if (problem !== null) return problem;
    if (!statuses.includes(answer.status)) return `status ${answer.status}, not ${statuses.join(' or ')}`;
    const wrong = bodiless(n) ? null : (check?.(answer, n, answers) ?? null);
    if (wrong !== null) return wrong;
  }
  return null;
}
