/**
 * Every action with arguments at, just inside and just outside every bound of its served schema: one change at a time, then several at random. Valid
 * arguments must not be rejected; invalid ones must be answered 400 and name one that is wrong.
 */
import { drive, type Problem } from '../drive.js';
import { arbitraryOf, bodyOf, shuffled, subjectOf, systematic, type Sent } from '../generate/subjects.js';
import { HttpClient } from '../http/http-client.js';
import { actionProblem } from '../answer-problems.js';
import { mayBeHeld, verdictOf } from '../verdicts.js';
import { ownCommands, servedActions } from '../served.js';
import { secret } from '../test-system.js';
import type { Attack, Target } from './target.js';

export const httpActions: Target = { name: 'http-actions', group: 'http', share: 0.55, attack: attackActions };

const inFlight = 40;
/** A wait that may take longer is cancelled, ms. */
const hangUpMs = 700;
/** Every n-th call that ends soon carries an Idempotency-Key, which must have no effect here; http-shapes tests its function. */
const keyedEvery = 5;
/** With a key such a body is rejected as a whole, before its arguments are checked. */
const tooDeep = /\[{9999}/;

async function attackActions({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const key = system.keys[0]!;
  const subjects = (await servedActions(system.gateway.address, key)).map((served) => subjectOf(served));
  const own = await ownCommands(system.gateway.address, key, system.robots[0]!.id);
  const client = new HttpClient(system.gateway.address);
  const each = systematic(subjects);
  log(`http-actions: ${Math.min(each.length, requests)} single changes of ${each.length}, then ${Math.max(0, requests - each.length)} at random`);
  let count = 0;

  async function send(sent: Sent): Promise<Problem | null> {
    const { served, text, what } = bodyOf(subjects, sent);
    const verdict = verdictOf(served, text, own);
    const to = system.robots[++count % system.robots.length]!.id;
    const path = `/v1/robots/${to}/${served.name}`;
    const held = mayBeHeld(verdict, hangUpMs);
    const headers: Record<string, string> =
      held || count % keyedEvery > 0 || tooDeep.test(text) ? {} : { 'idempotency-key': `fuzz-${seed}-${count}` };
    const answer = await client.call({ path, key: system.nextKey(), body: text, headers }, held ? hangUpMs : null);
    tally.sent('http-actions');
    if (answer === null) {
      tally.answered('http-actions', 'held until we hung up');
      return null;
    }
    const code = /"code":"(\w+)"/.exec(answer.text)?.[1];
    tally.answered('http-actions', answer.status === 200 ? '200' : `${answer.status} ${code}`, answer.tookMs, `${served.name}, ${what}`);
    const problem = actionProblem(served, verdict, answer, secret);
    if (problem === null) return null;
    return { what: `${served.name}, ${what}: ${problem}`, request: curl(path, headers, text), answer: `${answer.status} ${answer.text}` };
  }

  try {
    await drive({
      target: 'http-actions',
      arbitrary: arbitraryOf(subjects),
      first: shuffled(each, seed),
      count: requests,
      seed,
      inFlight,
      send,
      tally,
    });
  } finally {
    await client.close();
  }
  return null;
}

function curl(path: string, headers: Record<string, string>, text: string): string {
  const more = Object.entries(headers).map(([name, value]) => ` -H '${name}: ${value}'`);
  return `curl -sS "$BASE${path}" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'${more.join('')} --data-binary '${text.replaceAll("'", `'\\''`)}'`;
}
