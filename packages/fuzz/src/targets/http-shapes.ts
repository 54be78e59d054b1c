/** Everything about a request but its arguments: framing, paths, methods, headers, keys, queries, and bodies that are not the JSON they should be. */
import fc from 'fast-check';
import { drive, type Problem } from '../drive.js';
import { changedBodies, type ChangedBody } from '../generate/bodies.js';
import { framingShapes } from '../http/framing-shapes.js';
import { exchangeRaw } from '../http/raw-exchange.js';
import { requestShapes } from '../http/request-shapes.js';
import { requestOf, shownShape, type Shape } from '../http/shape.js';
import { actionProblem, answeredWithinMs, envelopeProblem } from '../judge.js';
import { verdictOf } from '../oracle.js';
import { servedActions, type ServedAction } from '../served.js';
import { secret, type Stage } from '../stage.js';
import type { Attack, Target } from './target.js';

export const httpShapes: Target = { name: 'http-shapes', group: 'http', share: 0.1, attack: attackShapes };

const inFlight = 16;
/** What never becomes a whole request is let go before the service would end it: the slow target sees to that. */
const halfMs = 150;
/** Stands for a key in the arbitraries, which are made once; each request gets a fresh one in its place. */
const anyKey = `pk_${'K'.repeat(43)}`;

type Sent = Shape | { action: number; body: ChangedBody };

async function attackShapes({ stage, tally, seed, requests, say }: Attack): Promise<null> {
  const port = Number(new URL(stage.gateway.address).port);
  const robot = stage.robots[0]!.id;
  const actions = await servedActions(stage.gateway.address, stage.keys[0]!);
  say(`http-shapes: ${requests}`);

  async function send(sent: Sent): Promise<Problem | null> {
    const shape = 'body' in sent ? bodyShape(actions[sent.action]!, sent.body, robot) : sent;
    const keyed = { ...shape, parts: shape.parts.map((part) => withKey(part, stage.nextKey())) };
    const { half = false } = shape;
    const received = await exchangeRaw({
      port,
      parts: keyed.parts,
      ...(shape.bodiless === undefined ? {} : { bodiless: shape.bodiless }),
      answers: half ? Infinity : shape.answers.length,
      withinMs: half ? halfMs : answeredWithinMs,
    });
    tally.sent('http-shapes');
    for (const { status, tookMs } of received.answers) tally.answered('http-shapes', String(status), tookMs, shape.what);
    if (received.answers.length === 0) tally.answered('http-shapes', received.closed ? 'closed' : 'half, let go');
    const what = shapeProblem(shape, received);
    if (what === null) return null;
    const answer = received.answers.map(({ status, text }) => `${status} ${text}`).join(' | ');
    return { what: `${shape.what}: ${what}`, request: shownShape(keyed), answer };
  }

  await drive<Sent>({ target: 'http-shapes', arbitrary: arbitraryOf(stage, robot, actions), count: requests, seed, inFlight, send, tally });
  return null;
}

function arbitraryOf({ revoked, others }: Stage, robot: string, actions: readonly ServedAction[]): fc.Arbitrary<Sent> {
  const names = { key: anyKey, robot, revoked, foreignKey: others.keys.at(-1)!, foreignRobot: others.robots[0]!.id };
  const bodies = fc
    .nat(actions.length - 1)
    .filter((action) => actions[action]!.name !== 'events')
    .chain((action) => {
      const texts = actions[action]!.examples.map((example) => JSON.stringify(quick(actions[action]!, example)));
      return fc.record({ action: fc.constant(action), body: changedBodies(texts.length === 0 ? ['{}'] : texts) });
    });
  return fc.oneof<fc.Arbitrary<Sent>[]>(bodies, requestShapes(names), framingShapes(anyKey, `/v1/robots/${robot}/state`));
}

/** A wait that ends at once. */
function quick({ args }: ServedAction, example: Record<string, unknown>): Record<string, unknown> {
  return args.properties?.['timeout_s'] === undefined ? example : { ...example, timeout_s: 0.02 };
}

/** A body as a shape: what it must become is the oracle's to say, where it is text at all. */
function bodyShape(action: ServedAction, { what, bytes }: ChangedBody, robot: string): Shape {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  const verdict = isText ? verdictOf(action, text, new Map()) : { kind: 'refused' as const, codes: ['malformed_json'], fields: [''] };
  // A byte turned into a digit makes a time-out long.
  const half = verdict.kind === 'taken' && verdict.heldMs > 1000;
  return {
    what: `${action.name}, ${what}`,
    parts: [requestOf({ path: `/v1/robots/${robot}/${action.name}`, key: anyKey }, bytes)],
    answers: half ? [] : [[200, 400, 501, 503]],
    half,
    check: (answer) =>
      // The robot's own commands are looked into by http-actions.
      action.name === 'command' && verdict.kind === 'refused' && verdict.codes.includes('not_offered')
        ? null
        : actionProblem(action, verdict, { ...answer, headers: { 'content-type': 'application/json' }, tookMs: 0 }, secret),
  };
}

function withKey(part: Buffer, key: string): Buffer {
  const at = part.indexOf(anyKey);
  if (at === -1) return part;
  const copy = Buffer.from(part);
  copy.write(key, at, 'latin1');
  return withKey(copy, key);
}

type Received = Awaited<ReturnType<typeof exchangeRaw>>;

function shapeProblem({ answers: expected, half = false, bodiless = () => false, check }: Shape, { answers, rest, closed }: Received): string | null {
  if (rest !== '') return `what came is no answer: ${JSON.stringify(rest.slice(0, 200))}`;
  if (half)
    return answers.length === 0 || (expected.length === 0 && answers.every(({ status }) => status < 500)) ? null : 'an answer to half a request';
  if (answers.length > expected.length) return `${answers.length} answers, not ${expected.length}`;
  for (const [n, statuses] of expected.entries()) {
    const answer = answers[n];
    if (answer === undefined) return statuses.includes('closed') && closed ? null : `no answer${closed ? ', but closed' : ' in time'}`;
    const problem = bodiless(n) ? null : envelopeProblem(answer, secret);
    if (problem !== null) return problem;
    if (!statuses.includes(answer.status)) return `status ${answer.status}, not ${statuses.join(' or ')}`;
    const wrong = bodiless(n) ? null : (check?.(answer, n) ?? null);
    if (wrong !== null) return wrong;
  }
  return null;
}
