/** A provider that lies or fails, and browsers that alter values: only a valid answer signs in, and no existing e-mail address is taken over. */
import { randomBytes } from 'node:crypto';
import { ConsoleCaller, type ConsoleResult } from '../console/requests/console-caller.js';
import { codeOf } from '../console/auth/hostile-provider.js';
import { keysPerAccount, password, ConsoleUsers } from '../console/auth/console-users.js';
import { newAddress, nonce, signIns, takenAddress, type SignIn } from '../console/auth/sign-ins.js';
import { httpEndpoint } from '../console/console-endpoint.js';
import { drive, type Problem } from '../drive.js';
import type { Answer } from '../answer-problems.js';
import type { Attack, Target } from './target.js';

export const consoleOidc: Target = { name: 'console-oidc', group: 'console', share: 0.01, attack: attackOidc };

const inFlight = 6;
const cookieName = 'perch_oidc';

async function attackOidc({ system, tally, seed, requests, log }: Attack): Promise<null> {
  const caller = new ConsoleCaller({ system, endpoint: httpEndpoint(system), tally, target: 'console-oidc' });
  const { host } = new URL(system.gateway());
  const users = await ConsoleUsers.open(system, 0);
  const { email: taken } = users.next();
  let signedIn = 0;
  log(`console-oidc: ${requests}`);

  function get(step: 'start' | 'callback', what: string, query: string, cookie: string | null): Promise<ConsoleResult> {
    return caller.call({
      what,
      method: 'GET',
      path: `/console/oidc/${step}${query}`,
      headers: [],
      body: null,
      ends: [{ status: 303 }],
      route: `GET oidc/${step}`,
      lines: [`host: ${host}`, ...(cookie === null ? [] : [`cookie: ${cookieName}=${cookie}`])],
      secrets: [password],
    });
  }

  async function begin(): Promise<{ location: URL; cookie: string } | Problem> {
    const { answer, problem } = await get('start', 'as it is', '', null);
    const cookie = cookieIn(answer, cookieName);
    if (problem !== null || cookie === null) return problem ?? asProblem('no cookie for who begins', 'GET /console/oidc/start', answer);
    return { location: new URL(answer!.headers['location']!), cookie };
  }

  async function send(signIn: SignIn): Promise<Problem | null> {
    const began = await begin();
    if (!('location' in began)) return began;
    const other = signIn.cookie === 'other' ? await begin() : null;
    if (other !== null && !('location' in other)) return other;
    const { searchParams: asked } = began.location;
    const put = (text: string): string =>
      text
        .replaceAll(nonce, asked.get('nonce') ?? '')
        .replaceAll('{new subject}', randomBytes(9).toString('hex'))
        .replaceAll(newAddress, `${randomBytes(9).toString('hex')}@oidc.fuzz`)
        .replaceAll(takenAddress, taken);
    const answer = { ...signIn.answer, claims: JSON.parse(put(JSON.stringify(signIn.answer.claims))) as Record<string, unknown> };
    const query = signIn.query.replaceAll('{code}', codeOf(answer)).replaceAll('{state}', asked.get('state') ?? '');
    const cookie = signIn.cookie === 'none' ? null : (other ?? began).cookie;
    const back = await get('callback', signIn.what, `?${query}`, cookie);
    if (back.problem !== null) return back.problem;
    const problem = signInProblem(signIn, back.answer);
    if (problem !== null) return asProblem(`${signIn.what}: ${problem}`, query, back.answer);
    if (signIn.signsIn) signedIn += 1;
    // A redirect works once.
    const again = await get('callback', `${signIn.what}, again`, `?${query}`, cookie);
    return again.problem ?? (cookieIn(again.answer, 'perch_session') === null ? null : asProblem(`${signIn.what}: works twice`, query, again.answer));
  }

  try {
    await drive<SignIn>({ target: 'console-oidc', arbitrary: signIns, count: Math.ceil(requests / 3), seed, inFlight, send, tally });
  } finally {
    tally.left((users.accounts + signedIn) * (keysPerAccount + 1));
  }
  return null;
}

export function signInProblem({ signsIn }: Pick<SignIn, 'signsIn'>, answer: Answer | null): string | null {
  const location = answer?.headers['location'] ?? '';
  const session = cookieIn(answer, 'perch_session');
  if (signsIn !== (location === '/')) return `leads to ${location}`;
  return signsIn === (session !== null) ? null : session === null ? 'no session' : 'a session, although nobody signed in';
}

function cookieIn(answer: Answer | null, name: string): string | null {
  const lines = (answer?.headers['set-cookie'] ?? '').split('\n');
  const value = lines
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .split(';')[0];
  return value === undefined || value === '' ? null : value;
}

function asProblem(what: string, request: string, answer: Answer | null): Problem {
  return { what, request, answer: JSON.stringify(answer).slice(0, 500) };
}
