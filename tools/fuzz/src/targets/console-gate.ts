/** Every route, called from other pages or hosts, or without session or CSRF token: all is refused, and the account stays as it was. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { ConsoleCaller } from '../console/requests/console-caller.js';
import type { Draft } from '../console/requests/drafts.js';
import { forbidden, notFound, signedOut } from '../console/requests/expected-results.js';
import { anyEnd, generatorOf, generatorOfAny } from '../console/requests/generators.js';
import { anySender, senderName, senderOf, linesOf, expectedRefusals, type SenderChoice } from '../console/requests/request-senders.js';
import { accountState } from '../console/account-state.js';
import { isMounted, mountedRoutes } from '../console/page/mounted.js';
import { keysPerAccount, password } from '../console/auth/console-users.js';
import { anyMethod, anyPath } from '../console/page/unknown-paths.js';
import { declaredRoutes, routeAt, routeName, type ConsoleRoute } from '../console/requests/routes.js';
import { openConsoleSetup } from '../console/console-setup.js';
import type { ConsoleEndpoint } from '../console/console-endpoint.js';
import { addPasskey, placeholderFiller, placeholders } from '../console/requests/placeholders.js';
import { drive, type Problem } from '../drive.js';
import { servedOpenApi } from '../served.js';
import type { Attack, Target } from './target.js';

export const consoleGate: Target = { name: 'console-gate', group: 'console', share: 0.05, attack: attackGate };

const inFlight = 12;

interface Sent {
  route: ConsoleRoute;
  known: boolean;
  draft: Draft;
  sender: SenderChoice;
  secure: boolean;
}

async function attackGate({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const { store } = system;
  const routes = declaredRoutes();
  const mounted = mountedRoutes(await servedOpenApi(system.gateway(), system.keys[0]!));
  const setup = await openConsoleSetup(system, requests);
  const { users, plain, https } = setup;
  const guarded = await users.once();
  const { id: ownKey } = await store.apiKeys.create({ account: guarded.account, name: 'kept' });
  const [ownSession] = await store.sessions.list(guarded.account);
  await addPasskey(store, guarded.account);
  const before = await accountState(store, guarded);
  const callerOf = (endpoint: ConsoleEndpoint): ConsoleCaller =>
    new ConsoleCaller({ system, endpoint, tally, target: 'console-gate', otherIds: [setup.foreignKey] });
  const callers = { plain: callerOf(plain), https: callerOf(https) };
  log(`console-gate: ${requests}, ${routes.length} routes and ${mounted.length} of the interface`);

  async function send({ route, known, draft, sender: choice, secure }: Sent): Promise<Problem | null> {
    const user = known ? guarded : users.next();
    const sender = senderOf(choice, setup.credentialsOf(user, secure ? https : plain), false);
    const refusals = expectedRefusals(route, sender);
    // Senders with access are tested by console-calls.
    if (refusals.length === 0 && known) return null;
    const lines = linesOf(sender);
    // The guarded account has one of each, so that changes show.
    const kept = (text: string): string =>
      text
        .replaceAll(placeholders.onceRobot, guarded.virtualRobot)
        .replaceAll(placeholders.onceKey, ownKey)
        .replaceAll(placeholders.onceSession, ownSession!.id);
    const putIn = placeholderFiller({ system, ...setup }, user);
    const body = draft.body === null ? null : Buffer.from(await putIn(kept(draft.body.toString('latin1'))), 'latin1');
    const path = await putIn(kept(draft.path));
    const led = known ? route : routeAt(routes, draft.method, path);
    // A path that cannot be decoded is answered 404 to everyone.
    const there = isMounted(route) || routeAt(routes, draft.method, path) !== null;
    const { problem } = await (secure ? callers.https : callers.plain).call({
      ...draft,
      what: `${draft.what}; ${senderName(sender)}`,
      path,
      body,
      ends: known ? [...refusals, ...(there ? [] : [notFound])] : [forbidden, signedOut, ...draft.ends],
      lines,
      route: led === null ? null : routeName(led),
      secrets: [password, user.secret],
    });
    if (problem !== null) return problem;
    const email = /[0-9a-f]{18}@new\.fuzz/.exec(body?.toString('latin1') ?? '')?.[0];
    if (!known || email === undefined || (await store.accounts.findByEmail(email)) === null) return null;
    return { what: `an account was created by a refused request: ${senderName(sender)}`, request: draft.path, answer: '' };
  }

  try {
    await drive<Sent>({ target: 'console-gate', arbitrary: arbitraryOf(routes, mounted), count: requests, seed, inFlight, send, tally });
    const after = await accountState(store, guarded);
    if (!isDeepStrictEqual(after, before))
      tally.violated({
        target: 'console-gate',
        what: 'a refused request had an effect',
        request: JSON.stringify(before),
        answer: JSON.stringify(after),
        seed,
        index: -1,
      });
  } finally {
    await setup.close();
    tally.left(users.accounts * keysPerAccount);
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
      sender: anySender,
      secure: fc.boolean(),
    });
  });
  const ofInterface = fc
    .constantFrom(...mounted)
    .chain(({ route, right }) =>
      fc.record<Sent>({ route: fc.constant(route), known: fc.constant(true), draft: fc.constant(right), sender: anySender, secure: fc.boolean() }),
    );
  const nothing = fc
    .record({ method: anyMethod, path: anyPath(routes.map(({ path }) => path)), sender: anySender, secure: fc.boolean() })
    .map(({ method, path, sender, secure }): Sent => {
      const route = { method, path, session: false, fromElsewhere: false };
      const there = path.startsWith('/console/v1');
      return {
        route,
        known: false,
        draft: { what: 'a path or method that may be none', method, path, headers: [], body: null, ends: there ? anyEnd : [...anyEnd, notFound] },
        sender,
        secure,
      };
    });
  return fc.oneof({ weight: 6, arbitrary: fc.oneof(...known) }, { weight: 2, arbitrary: ofInterface }, { weight: 2, arbitrary: nothing });
}
