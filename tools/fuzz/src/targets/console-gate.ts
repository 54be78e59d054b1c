/**
 * Access to the console: every route, and the API under /console/v1, called by senders without access: from other pages, under other host names,
 * without a session or with an invalid one, without the CSRF token.
 * All must be refused, and the account they claim to be must be unchanged afterwards. Unknown paths and methods as well.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { Asker } from '../console/requests/asker.js';
import type { Draft } from '../console/requests/drafts.js';
import { forbidden, nowhere, signedOut } from '../console/requests/ends.js';
import { anyEnd, generatorOf, generatorOfAny } from '../console/requests/generators.js';
import { anyGuise, guiseName, guiseOf, linesOf, turnedAway, type GuiseChoice } from '../console/requests/guises.js';
import { holdingsOf } from '../console/holdings.js';
import { isMounted, mountedRoutes } from '../console/page/mounted.js';
import { keysPerAccount, password } from '../console/auth/people.js';
import { anyMethod, anyPath } from '../console/page/nowhere.js';
import { declaredRoutes, routeAt, routeName, type ConsoleRoute } from '../console/requests/routes.js';
import { openSetting } from '../console/setting.js';
import type { Side } from '../console/side.js';
import { stagehand, standIns } from '../console/requests/stand-ins.js';
import { drive, type Problem } from '../drive.js';
import { servedOpenApi } from '../served.js';
import type { Attack, Target } from './target.js';

export const consoleGate: Target = { name: 'console-gate', group: 'console', share: 0.05, attack: attackGate };

const inFlight = 12;

interface Sent {
  route: ConsoleRoute;
  /** Whether it is a route, not an unknown path or method. */
  known: boolean;
  draft: Draft;
  guise: GuiseChoice;
  /** Whether it is sent by https. */
  secure: boolean;
}

async function attackGate({ stage, tally, seed, requests, say }: Attack): Promise<null> {
  const { store } = stage;
  const routes = declaredRoutes();
  const mounted = mountedRoutes(await servedOpenApi(stage.gateway.address, stage.keys[0]!));
  const setting = await openSetting(stage, requests);
  const { people, plain, https } = setting;
  const guarded = await people.once();
  const { id: ownKey } = await store.apiKeys.create({ account: guarded.account, name: 'kept' });
  const before = await holdingsOf(store, guarded);
  const askerOf = (side: Side): Asker => new Asker({ stage, side, tally, target: 'console-gate', otherIds: [setting.foreignKey] });
  const askers = { plain: askerOf(plain), https: askerOf(https) };
  say(`console-gate: ${requests}, ${routes.length} routes and ${mounted.length} of the interface`);

  async function send({ route, known, draft, guise: choice, secure }: Sent): Promise<Problem | null> {
    const member = known ? guarded : people.next();
    const guise = guiseOf(choice, setting.papersOf(member, secure ? https : plain), false);
    const away = turnedAway(route, guise);
    // Senders with access are tested by console-calls.
    if (away.length === 0 && known) return null;
    const lines = linesOf(guise);
    // The guarded account has one of each, so that changes show.
    const kept = (text: string): string => text.replaceAll(standIns.onceRobot, guarded.virtualRobot).replaceAll(standIns.onceKey, ownKey);
    const putIn = stagehand({ stage, ...setting }, member);
    const body = draft.body === null ? null : Buffer.from(await putIn(kept(draft.body.toString('latin1'))), 'latin1');
    const path = await putIn(kept(draft.path));
    const led = known ? route : routeAt(routes, draft.method, path);
    // A path that cannot be decoded is answered 404 to everyone.
    const there = isMounted(route) || routeAt(routes, draft.method, path) !== null;
    const { problem } = await (secure ? askers.https : askers.plain).ask({
      ...draft,
      what: `${draft.what}; ${guiseName(guise)}`,
      path,
      body,
      ends: known ? [...away, ...(there ? [] : [nowhere])] : [forbidden, signedOut, ...draft.ends],
      lines,
      route: led === null ? null : routeName(led),
      secrets: [password, member.secret],
    });
    if (problem !== null) return problem;
    const email = /[0-9a-f]{18}@new\.fuzz/.exec(body?.toString('latin1') ?? '')?.[0];
    if (!known || email === undefined || (await store.accounts.findByEmail(email)) === null) return null;
    return { what: `an account was made, though it was turned away: ${guiseName(guise)}`, request: draft.path, answer: '' };
  }

  try {
    await drive<Sent>({ target: 'console-gate', arbitrary: arbitraryOf(routes, mounted), count: requests, seed, inFlight, send, tally });
    const after = await holdingsOf(store, guarded);
    if (!isDeepStrictEqual(after, before))
      tally.violated({
        target: 'console-gate',
        what: 'what was turned away was done',
        request: JSON.stringify(before),
        answer: JSON.stringify(after),
        seed,
        index: -1,
      });
  } finally {
    await setting.close();
    tally.left(people.accounts * keysPerAccount);
  }
  return null;
}

function arbitraryOf(routes: readonly ConsoleRoute[], mounted: readonly { route: ConsoleRoute; right: Draft }[]): fc.Arbitrary<Sent> {
  const known = routes.map((route) => {
    const { right, any } = generatorOf(route) ?? generatorOfAny(route);
    return fc.record<Sent>({
      route: fc.constant(route),
      known: fc.constant(true),
      draft: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: any }),
      guise: anyGuise,
      secure: fc.boolean(),
    });
  });
  const ofInterface = fc
    .constantFrom(...mounted)
    .chain(({ route, right }) =>
      fc.record<Sent>({ route: fc.constant(route), known: fc.constant(true), draft: fc.constant(right), guise: anyGuise, secure: fc.boolean() }),
    );
  const nothing = fc
    .record({ method: anyMethod, path: anyPath(routes.map(({ path }) => path)), guise: anyGuise, secure: fc.boolean() })
    .map(({ method, path, guise, secure }): Sent => {
      const route = { method, path, session: false, fromElsewhere: false };
      const there = path.startsWith('/console/v1');
      return {
        route,
        known: false,
        draft: { what: 'a path or method that may be none', method, path, headers: [], body: null, ends: there ? anyEnd : [...anyEnd, nowhere] },
        guise,
        secure,
      };
    });
  return fc.oneof({ weight: 6, arbitrary: fc.oneof(...known) }, { weight: 2, arbitrary: ofInterface }, { weight: 2, arbitrary: nothing });
}
