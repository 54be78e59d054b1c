/** Everything about a request except its arguments. */
import fc from 'fast-check';
import { PageTexts } from '../console/page/page-files.js';
import { isPageFile, pageProblem } from '../console/page/page-problems.js';
import { drive, type Problem } from '../drive.js';
import { changedBodies, type ChangedBody } from '../generate/bodies.js';
import { framingShapes } from '../http/framing-shapes.js';
import { idempotencyShapes } from '../http/idempotency-shapes.js';
import { requestShapes } from '../http/request-shapes.js';
import { shapeSender } from '../http/shape-sender.js';
import { anyKey, requestOf, type Shape } from '../http/shape.js';
import { actionProblem, envelopeProblem, type Answer } from '../answer-problems.js';
import { verdictOf } from '../verdicts.js';
import { servedActions, type ServedAction } from '../served.js';
import { secret, type FuzzSystem } from '../fuzz-system.js';
import type { Attack, Target } from './target.js';

export const httpShapes: Target = { name: 'http-shapes', group: 'http', share: 0.09, attack: attackShapes };

const inFlight = 16;

type Sent = Shape | { action: number; body: ChangedBody };

async function attackShapes({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const robot = system.robots[0]!.id;
  const actions = await servedActions(system.gateway(), system.keys[0]!);
  const page = new PageTexts();
  // The console's own paths serve its files.
  const commonProblem = (answer: Answer): string | null =>
    isPageFile(answer) ? pageProblem('GET', answer, secret, (text, encoding) => page.holds(text, encoding)) : envelopeProblem(answer, secret);
  const send = shapeSender({ system, tally, target: 'http-shapes', commonProblem });
  log(`http-shapes: ${requests}`);
  const sendOne = (sent: Sent): Promise<Problem | null> => send('body' in sent ? bodyShape(actions[sent.action]!, sent.body, robot) : sent);
  await drive<Sent>({ target: 'http-shapes', arbitrary: arbitraryOf(system, robot, actions), count: requests, seed, inFlight, send: sendOne, tally });
  return null;
}

function arbitraryOf({ revoked, others }: FuzzSystem, robot: string, actions: readonly ServedAction[]): fc.Arbitrary<Sent> {
  const names = { key: anyKey, robot, revoked, foreignKey: others.keys.at(-1)!, foreignRobot: others.robots[0]!.id };
  const bodies = fc
    .nat(actions.length - 1)
    .filter((action) => actions[action]!.name !== 'events')
    .chain((action) => {
      const texts = actions[action]!.examples.map((example) => JSON.stringify(quick(actions[action]!, example)));
      return fc.record({ action: fc.constant(action), body: changedBodies(texts.length === 0 ? ['{}'] : texts) });
    });
  return fc.oneof<fc.Arbitrary<Sent>[]>(bodies, requestShapes(names), framingShapes(anyKey, `/v1/robots/${robot}/state`), idempotencyShapes(names));
}

function quick({ args }: ServedAction, example: Record<string, unknown>): Record<string, unknown> {
  return args.properties?.['timeout_s'] === undefined ? example : { ...example, timeout_s: 0.02 };
}

/** The result is predicted if the body is UTF-8. */
function bodyShape(action: ServedAction, { what, bytes }: ChangedBody, robot: string): Shape {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  const verdict = isText ? verdictOf(action, text, new Map()) : { kind: 'refused' as const, codes: ['malformed_json'], fields: [''] };
  // A changed byte may make a timeout long.
  const half = verdict.kind === 'taken' && verdict.heldMs > 1000;
  return {
    what: `${action.name}, ${what}`,
    parts: [requestOf({ path: `/v1/robots/${robot}/${action.name}`, key: anyKey }, bytes)],
    answers: half ? [] : [[200, 400, 501, 503]],
    half,
    check: (answer) =>
      // The robot's own commands are tested by http-actions.
      action.name === 'command' && verdict.kind === 'refused' && verdict.codes.includes('not_offered')
        ? null
        : actionProblem(action, verdict, { ...answer, tookMs: 0 }, secret),
  };
}
