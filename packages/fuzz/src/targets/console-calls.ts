/**
 * Every route of the page's calls as its sources declare it, asked by who may ask: with paths, queries, headers and bodies at, inside and outside
 * every bound. What is made is removed again; a route without a generator is told.
 */
import fc from 'fast-check';
import { Asker, type Ask } from '../console/asker.js';
import type { Draft } from '../console/drafts.js';
import { generatorOf, generatorOfAny, namedRoutes } from '../console/generators.js';
import { guessingProblems } from '../console/guessing.js';
import { guiseOf, linesOf, rightGuise, tokenOf, type GuiseChoice, type Papers } from '../console/guises.js';
import { keysPerAccount, password, People, type Member } from '../console/people.js';
import { declaredRoutes, routeName, type ConsoleRoute } from '../console/routes.js';
import { stagehand, type Props } from '../console/stand-ins.js';
import { drive, type Problem } from '../drive.js';
import { parsed, type Answer } from '../judge.js';
import { secret } from '../stage.js';
import type { Attack, Target } from './target.js';

export const consoleCalls: Target = { name: 'console-calls', group: 'console', share: 0.07, attack: attackCalls };

/** Each may hash a password, of which the gateway does four at once. */
const inFlight = 8;
/** Where a session begins or ends, who asks is there for that alone. */
const once = ['POST session', 'DELETE session', 'POST accounts', 'PUT password'];

interface Sent {
  route: number;
  draft: Draft;
  guise: GuiseChoice;
}

async function attackCalls({ stage, tally, seed, requests, say }: Attack): Promise<null> {
  const routes = declaredRoutes();
  const people = await People.open(stage, requests);
  const { id: foreignKey } = await stage.store.apiKeys.create({ account: stage.others.account, name: secret });
  const asker = new Asker({ stage, tally, target: 'console-calls', otherIds: [foreignKey] }, secret);
  const props: Props = { stage, people, foreignKey };
  const host = new URL(stage.gateway.address).host;
  const papersOf = ({ secret: own }: Member): Papers => ({
    host,
    secret: own,
    otherSecret: people.otherSecret,
    endedSecret: people.endedSecret,
    apiKey: people.apiKey,
  });
  say(`console-calls: ${requests}, ${routes.length} routes`);
  let signedUp = 0;

  async function send({ route: at, draft, guise }: Sent): Promise<Problem | null> {
    const route = routes[at]!;
    const member = once.includes(routeName(route)) ? await people.once() : people.next();
    const papers = papersOf(member);
    const ask = await put(route, draft, member, linesOf(guiseOf(guise, papers, true)));
    const { answer, problem } = await asker.ask(ask);
    if (problem !== null || answer?.status !== 200) return problem;
    if (ask.route === 'POST accounts') signedUp += 1;
    return undo(route, member, answer);
  }

  async function put(route: ConsoleRoute, draft: Draft, member: Member, lines: readonly string[]): Promise<Ask> {
    const putIn = stagehand(props, member);
    const text = draft.body?.toString('latin1');
    return {
      ...draft,
      path: await putIn(draft.path),
      headers: draft.headers,
      body: text === undefined ? null : Buffer.from(asLong(await putIn(text), text), 'latin1'),
      route: routeName(route),
      lines,
      secrets: [password, member.secret],
    };
  }

  /** Takes away what was made, as the page would; what cannot be taken away is a violation as any. */
  async function undo(route: ConsoleRoute, member: Member, { text }: Answer): Promise<Problem | null> {
    const made = parsed(text)! as { robot?: { id: string }; key?: { id: string } };
    const path = routeName(route) === 'POST robots' ? `robots/${made.robot!.id}` : routeName(route) === 'POST keys' ? `keys/${made.key!.id}` : null;
    if (path === null) return null;
    const lines = [`host: ${host}`, `cookie: perch_session=${member.secret}`, `x-csrf-token: ${tokenOf(member.secret)}`];
    const ends = [{ status: 200 }];
    return (
      await asker.ask({
        what: 'removed',
        method: 'DELETE',
        path: `/console/${path}`,
        headers: [],
        body: null,
        ends,
        route: `DELETE ${path.split('/')[0]}`,
        lines,
        secrets: [],
      })
    ).problem;
  }

  const violated = (what: string): void => tally.violated({ target: 'console-calls', what, request: '', answer: '', seed, index: -1 });
  for (const name of unattended(routes)) violated(`no generator for ${name}: packages/fuzz/src/console/generators.ts`);
  try {
    await drive<Sent>({ target: 'console-calls', arbitrary: arbitraryOf(routes), count: requests, seed, inFlight, send, tally });
    for (const what of await guessingProblems({ stage, people, tally })) violated(what);
  } finally {
    await stage.store.apiKeys.revoke(stage.others.account, foreignKey);
    tally.left((people.accounts + signedUp) * keysPerAccount);
  }
  return null;
}

/** What was filled up with blanks stays as long as it is to be. */
function asLong(put: string, text: string): string {
  return text.endsWith('  ') ? put.trimEnd().padEnd(text.length) : put;
}

function arbitraryOf(routes: readonly ConsoleRoute[]): fc.Arbitrary<Sent> {
  return fc.oneof(
    ...routes.map((route, at) => {
      const { any } = generatorOf(route) ?? generatorOfAny(route);
      return fc.record({ route: fc.constant(at), draft: any, guise: rightGuise });
    }),
  );
}

/** Routes that nobody wrote a generator for. */
export function unattended(routes: readonly ConsoleRoute[]): string[] {
  return routes.map(routeName).filter((name) => !namedRoutes.includes(name));
}
