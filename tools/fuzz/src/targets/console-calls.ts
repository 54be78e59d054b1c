/** Every console route declared in the sources, called by users with access. Created things are removed; a route without a generator is reported. */
import fc from 'fast-check';
import { ConsoleCaller, type ConsoleCall } from '../console/requests/console-caller.js';
import type { Draft } from '../console/requests/drafts.js';
import { generatorOf, generatorOfAny, namedRoutes, type Generator } from '../console/requests/generators.js';
import { senderOf, linesOf, allowedSender, type SenderChoice } from '../console/requests/request-senders.js';
import { isMounted, mountedCalls } from '../console/page/mounted.js';
import { tokenOf } from '../console/requests/sender-headers.js';
import { endsByInvitation } from '../console/auth/auth-bodies.js';
import { keysPerAccount, password, type ConsoleUser } from '../console/auth/console-users.js';
import { declaredRoutes, routeName, type ConsoleRoute } from '../console/requests/routes.js';
import { openConsoleSetup } from '../console/console-setup.js';
import type { ConsoleEndpoint } from '../console/console-endpoint.js';
import { placeholderFiller } from '../console/requests/placeholders.js';
import { drive, type Problem } from '../drive.js';
import { parsed, type Answer } from '../answer-problems.js';
import { servedOpenApi } from '../served.js';
import type { Attack, Target } from './target.js';

export const consoleCalls: Target = { name: 'console-calls', group: 'console', share: 0.07, attack: attackCalls };

/** A call may hash a password, of which the gateway does four at once. */
const inFlight = 8;
/** Routes that begin or end a session need a new user each time. */
const once = [
  'POST session',
  'DELETE session',
  'POST accounts',
  'PUT password',
  'POST password-resets',
  'PUT password-resets',
  'POST verifications',
  'PUT verifications',
  'DELETE sessions',
  'DELETE sessions/{session}',
  // Wrong passwords of a session are limited.
  'POST passkeys/options',
  'POST passkeys/{passkey}/removal',
];

interface Sent {
  route: number;
  draft: Draft;
  sender: SenderChoice;
  https: boolean;
}

async function attackCalls({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const routes = [
    ...declaredRoutes().map((route) => ({ route, ...(generatorOf(route) ?? generatorOfAny(route)) })),
    ...mountedCalls(await servedOpenApi(system.gateway(), system.keys[0]!)),
  ];
  const setup = await openConsoleSetup(system, requests);
  const { users, plain, https } = setup;
  const callerOf = (endpoint: ConsoleEndpoint): ConsoleCaller =>
    new ConsoleCaller({ system, endpoint, tally, target: 'console-calls', otherIds: [setup.foreignKey] });
  const callers = { plain: callerOf(plain), https: callerOf(https) };
  log(`console-calls: ${requests}, ${routes.length} routes`);
  let signedUp = 0;

  async function send(sent: Sent): Promise<Problem | null> {
    const { route } = routes[sent.route]!;
    const user = once.includes(routeName(route)) ? await users.once() : isMounted(route) ? users.owner() : users.next();
    const endpoint = sent.https ? https : plain;
    const caller = sent.https ? callers.https : callers.plain;
    const lines = linesOf(senderOf(sent.sender, setup.credentialsOf(user, endpoint), true));
    const call = await put(route, sent.draft, user, lines, endpoint);
    const { answer, problem } = await caller.call(call);
    if (problem !== null || answer?.status !== 200) return problem;
    if (call.route === 'POST accounts') signedUp += 1;
    return undo(route, user, answer);
  }

  async function put(
    route: ConsoleRoute,
    draft: Draft,
    user: ConsoleUser,
    lines: readonly string[],
    { byInvitation }: ConsoleEndpoint,
  ): Promise<ConsoleCall> {
    const putIn = placeholderFiller({ system, ...setup }, user);
    const text = draft.body?.toString('latin1');
    return {
      ...draft,
      path: await putIn(draft.path),
      headers: draft.headers,
      body: text === undefined ? null : Buffer.from(asLong(await putIn(text), text), 'latin1'),
      ends: byInvitation && routeName(route) === 'POST accounts' ? endsByInvitation(draft.ends, text ?? '') : draft.ends,
      route: routeName(route),
      lines,
      secrets: [password, user.secret],
    };
  }

  /** As the console would; a failed removal is a violation. */
  async function undo(route: ConsoleRoute, user: ConsoleUser, { text }: Answer): Promise<Problem | null> {
    const made = parsed(text)! as { robot?: { id: string }; key?: { id: string } };
    const path = routeName(route) === 'POST robots' ? `robots/${made.robot!.id}` : routeName(route) === 'POST keys' ? `keys/${made.key!.id}` : null;
    if (path === null) return null;
    const lines = [`host: ${plain.host}`, `cookie: ${plain.cookie}=${user.secret}`, `x-csrf-token: ${tokenOf(user.secret)}`];
    const ends = [{ status: 200 }];
    return (
      await callers.plain.call({
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
  for (const name of unattended(declaredRoutes())) violated(`no generator for ${name}: tools/fuzz/src/console/requests/route-inputs.ts`);
  try {
    await drive<Sent>({ target: 'console-calls', arbitrary: arbitraryOf(routes), count: requests, seed, inFlight, send, tally });
  } finally {
    await setup.close();
    tally.left((users.accounts + signedUp) * keysPerAccount);
  }
  return null;
}

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
      arbitrary: fc.record({ route: fc.constant(at), draft: any, sender: allowedSender, https }),
    })),
  );
}

export function unattended(routes: readonly ConsoleRoute[]): string[] {
  return routes.map(routeName).filter((name) => !namedRoutes.includes(name));
}
