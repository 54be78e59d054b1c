/** Arguments around every bound of the served schema, changed singly, then several: valid ones pass, others get 400 and name a wrong one. */
import { drive, type Problem } from '../drive.js';
import { arbitraryOf, bodyOf, shuffled, subjectOf, systematic, type Sent } from '../generate/subjects.js';
import { HttpClient } from '../http/http-client.js';
import { actionProblem } from '../answer-problems.js';
import { mayBeHeld, verdictOf } from '../verdicts.js';
import { componentCompiler, ownCommands, servedActions, servedOpenApi } from '../served.js';
import { secret } from '../fuzz-system.js';
import type { Attack, Target } from './target.js';

export const httpActions: Target = { name: 'http-actions', group: 'http', share: 0.55, attack: attackActions };

const inFlight = 40;
const hangUpMs = 700;
/** The Idempotency-Key must have no effect here; http-shapes tests its function. */
const keyedEvery = 5;
/** Every so many calls of an action that can be drawn without being shown asks for its preview, which must accept and reject the same. */
const previewedEvery = 7;
/** With a key such a body is rejected as a whole, before its arguments are checked. */
const tooDeep = /\[{9999}/;

async function attackActions({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const key = system.keys[0]!;
  const subjects = (await servedActions(system.gateway(), key)).map((served) => subjectOf(served));
  const own = await ownCommands(system.gateway(), key, system.robots[0]!.id);
  const openApi = await servedOpenApi(system.gateway(), key);
  const imageFits = componentCompiler(openApi)('ScreenImageAnswer');
  const client = new HttpClient(system.gateway());
  const each = systematic(subjects);
  log(`http-actions: ${Math.min(each.length, requests)} single changes of ${each.length}, then ${Math.max(0, requests - each.length)} at random`);
  let count = 0;

  async function send(sent: Sent): Promise<Problem | null> {
    const { served, text, what } = bodyOf(subjects, sent);
    const verdict = verdictOf(served, text, own);
    const to = system.robots[++count % system.robots.length]!.id;
    const isPreview = count % previewedEvery === 0 && `/v1/robots/{robot}/preview/${served.name}` in openApi.paths;
    const path = `/v1/robots/${to}/${isPreview ? 'preview/' : ''}${served.name}`;
    const held = !isPreview && mayBeHeld(verdict, hangUpMs);
    const headers: Record<string, string> = isPreview
      ? { accept: 'application/json' }
      : held || count % keyedEvery > 0 || tooDeep.test(text)
        ? {}
        : { 'idempotency-key': `fuzz-${seed}-${count}` };
    const answer = await client.call({ path, key: system.nextKey(), body: text, headers }, held ? hangUpMs : null);
    tally.sent('http-actions');
    if (answer === null) {
      tally.answered('http-actions', 'held until we hung up');
      return null;
    }
    const code = /"code":"(\w+)"/.exec(answer.text)?.[1];
    tally.answered('http-actions', answer.status === 200 ? '200' : `${answer.status} ${code}`, answer.tookMs, `${served.name}, ${what}`);
    const problem = actionProblem(isPreview ? { ...served, answerFits: imageFits } : served, verdict, answer, secret);
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
  return `curl -sS "$PERCH_BASE_URL${path}" -H "Authorization: Bearer $PERCH_API_KEY" -H 'Content-Type: application/json'${more.join('')} --data-binary '${text.replaceAll("'", `'\\''`)}'`;
}
