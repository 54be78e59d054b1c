/**
 * Every console route declared in the sources, called by users with access: paths, queries, headers and bodies at, inside and outside every bound.
 * Created things are removed; a route without a generator is reported.
 */
import fc from 'fast-check';
import { Asker, type Ask } from '../console/requests/asker.js';
import type { Draft } from '../console/requests/drafts.js';
import { generatorOf, generatorOfAny, namedRoutes, type Generator } from '../console/requests/generators.js';
import { guiseOf, linesOf, rightGuise, type GuiseChoice } from '../console/requests/guises.js';
import { isMounted, mountedCalls } from '../console/page/mounted.js';
import { tokenOf } from '../console/requests/papers.js';
import { endsByInvitation } from '../console/auth/people-bodies.js';
import { keysPerAccount, password, type Member } from '../console/auth/people.js';
import { declaredRoutes, routeName, type ConsoleRoute } from '../console/requests/routes.js';
import { openSetting } from '../console/setting.js';
import type { Side } from '../console/side.js';
import { stagehand } from '../console/requests/stand-ins.js';
import { drive, type Problem } from '../drive.js';
import { parsed, type Answer } from '../judge.js';
import { servedOpenApi } from '../served.js';
import type { Attack, Target } from './target.js';

export const consoleCalls: Target = { name: 'console-calls', group: 'console', share: 0.07, attack: attackCalls };

/** A call may hash a password, of which the gateway does four at once. */
const inFlight = 8;
/** Routes that begin or end a session need a new user each time. */
const once = ['POST session', 'DELETE session', 'POST accounts', 'PUT password'];

interface Sent {
  route: number;
  draft: Draft;
  guise: GuiseChoice;
  https: boolean;
}

async function attackCalls({ stage, tally, seed, requests, say }: Attack): Promise<null> {
  const routes = [
    ...declaredRoutes().map((route) => ({ route, ...(generatorOf(route) ?? generatorOfAny(route)) })),
    ...mountedCalls(await servedOpenApi(stage.gateway.address, stage.keys[0]!)),
  ];
  const setting = await openSetting(stage, requests);
  const { people, plain, https } = setting;
  const askerOf = (side: Side): Asker => new Asker({ stage, side, tally, target: 'console-calls', otherIds: [setting.foreignKey] });
  const askers = { plain: askerOf(plain), https: askerOf(https) };
  say(`console-calls: ${requests}, ${routes.length} routes`);
  let signedUp = 0;

  async function send(sent: Sent): Promise<Problem | null> {
    const { route } = routes[sent.route]!;
    const member = once.includes(routeName(route)) ? await people.once() : isMounted(route) ? people.owner() : people.next();
    const side = sent.https ? https : plain;
    const asker = sent.https ? askers.https : askers.plain;
    const lines = linesOf(guiseOf(sent.guise, setting.papersOf(member, side), true));
    const ask = await put(route, sent.draft, member, lines, side);
    const { answer, problem } = await asker.ask(ask);
    if (problem !== null || answer?.status !== 200) return problem;
    if (ask.route === 'POST accounts') signedUp += 1;
    return undo(route, member, answer);
  }

  async function put(route: ConsoleRoute, draft: Draft, member: Member, lines: readonly string[], { byInvitation }: Side): Promise<Ask> {
    const putIn = stagehand({ stage, ...setting }, member);
    const text = draft.body?.toString('latin1');
    return {
      ...draft,
      path: await putIn(draft.path),
      headers: draft.headers,
      body: text === undefined ? null : Buffer.from(asLong(await putIn(text), text), 'latin1'),
      ends: byInvitation && routeName(route) === 'POST accounts' ? endsByInvitation(draft.ends, text ?? '') : draft.ends,
      route: routeName(route),
      lines,
      secrets: [password, member.secret],
    };
  }

  /** Removes what was created, as the console would; a failed removal is a violation. */
  async function undo(route: ConsoleRoute, member: Member, { text }: Answer): Promise<Problem | null> {
    const made = parsed(text)! as { robot?: { id: string }; key?: { id: string } };
    const path = routeName(route) === 'POST robots' ? `robots/${made.robot!.id}` : routeName(route) === 'POST keys' ? `keys/${made.key!.id}` : null;
    if (path === null) return null;
    const lines = [`host: ${plain.host}`, `cookie: ${plain.cookie}=${member.secret}`, `x-csrf-token: ${tokenOf(member.secret)}`];
    const ends = [{ status: 200 }];
    return (
      await askers.plain.ask({
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
  for (const name of unattended(declaredRoutes())) violated(`no generator for ${name}: tools/fuzz/src/console/requests/insides.ts`);
  try {
    await drive<Sent>({ target: 'console-calls', arbitrary: arbitraryOf(routes), count: requests, seed, inFlight, send, tally });
  } finally {
    await setting.close();
    tally.left((people.accounts + signedUp) * keysPerAccount);
  }
  return null;
}

/** Pads a body to its intended length again. */
function asLong(put: string, text: string): string {
  return text.endsWith('  ') ? put.trimEnd().padEnd(text.length) : put;
}

function arbitraryOf(routes: readonly ({ route: ConsoleRoute } & Pick<Generator, 'any'>)[]): fc.Arbitrary<Sent> {
  // One in four by https.
  const https = fc.nat(3).map((n) => n === 3);
  // /console/v1 serves the same API as /v1, which other targets test.
  const weightOf = (route: ConsoleRoute): number => (isMounted(route) ? 1 : 5);
  return fc.oneof(
    ...routes.map(({ route, any }, at) => ({
      weight: weightOf(route),
      arbitrary: fc.record({ route: fc.constant(at), draft: any, guise: rightGuise, https }),
    })),
  );
}

/** Returns routes without a generator. */
export function unattended(routes: readonly ConsoleRoute[]): string[] {
  return routes.map(routeName).filter((name) => !namedRoutes.includes(name));
}
