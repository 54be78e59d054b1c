import { consoleErrorCodes, errorCodes } from '@perch/schema';
import { answeredWithinMs, envelopeProblem, parsed, type Answer } from '../answer-problems.js';
import { endProblem, type End } from './requests/expected-results.js';

export interface Sent {
  method: string;
  /** Null for an unknown path. */
  route: string | null;
  ends: readonly End[];
  /** The other accounts' marker text, and the ids of their things. */
  others: { secret: string; ids: readonly string[] };
  secure: boolean;
  /** Passwords, sessions and links that the sender knows and must not receive back. */
  secrets: readonly string[];
}

export const consoleCodes = { ...errorCodes, ...consoleErrorCodes };

const cookieRoutes: Readonly<Record<string, { statuses: readonly number[]; names: RegExp }>> = {
  'POST session': { statuses: [200], names: /^(?:__Host-perch|perch_session|__Host-perch-device|perch_device)$/ },
  'POST accounts': { statuses: [200], names: /^(?:__Host-perch|perch_session|__Host-perch-device|perch_device)$/ },
  'PUT password-resets': { statuses: [200], names: /^(?:__Host-perch|perch_session|__Host-perch-device|perch_device)$/ },
  'PUT verifications': { statuses: [200], names: /^(?:__Host-perch|perch_session|__Host-perch-device|perch_device)$/ },
  'DELETE session': { statuses: [200], names: /^(?:__Host-perch|perch_session)$/ },
  'GET oidc/start': { statuses: [303], names: /^(?:__Host-perch-oidc|perch_oidc|__Host-perch-device|perch_device)$/ },
  'GET oidc/callback': { statuses: [303], names: /^(?:__Host-perch|perch_session|__Host-perch-oidc|perch_oidc|__Host-perch-device|perch_device)$/ },
};

const handedOut: readonly [shape: RegExp, routes: readonly string[]][] = [
  [/\bps_[\w-]{43}/, []],
  [/\bp[liorv]_[\w-]{43}/, []],
  [/\$argon2/, []],
  [/\bpk_[\w-]{43}/, ['POST keys', 'POST keys/{key}/secret']],
  [/\bpg_[\w-]{53}/, ['POST robots/{robot}/share-links']],
  [/\brt_[\w-]{43}/, ['POST robots', 'POST robots/{robot}/token']],
];

const fieldCharsMax = 200;

/** Allowed redirects: the console, or the provider. */
const leadsTo = /^(?:\/|\/sign-in#error=[a-z_]+|https?:\/\/127\.0\.0\.1:\d+\/authorize\?.*)$/;

export function consoleProblem(answer: Answer, sent: Sent): string | null {
  const { status, text, tookMs } = answer;
  const body = parsed(text);
  return (
    othersProblem(answer, sent) ??
    secretProblem(answer, sent) ??
    cookieProblem(answer, sent) ??
    (sent.route === null ? null : originProblem(answer)) ??
    (status === 303 ? redirectProblem(answer) : formProblem(answer, sent)) ??
    (tookMs > answeredWithinMs ? `answered after ${Math.round(tookMs)} ms` : null) ??
    // The run limits how many valid calls are refused as busy.
    (body?.['code'] === 'service_unavailable' ? null : endProblem(sent.ends, status, sent.method === 'HEAD' ? null : body))
  );
}

/** /v1 serves pages of every origin, the console only its own. */
function originProblem({ headers }: Answer): string | null {
  const name = Object.keys(headers).find((each) => each.startsWith('access-control-'));
  return name === undefined ? null : `${name}: ${headers[name]}`;
}

function othersProblem({ status, text }: Answer, { route, others: { secret, ids } }: Sent): string | null {
  if (text.includes(secret)) return "something of another account's";
  if (status !== 200) return null;
  const said = route === 'GET account/export' ? withoutActivity(text) : text;
  const found = ids.find((id) => said.includes(id));
  return found === undefined ? null : `${found}, of another account`;
}

/** The activity of an account names what its own refused requests named. */
function withoutActivity(text: string): string {
  const exported = parsed(text);
  return exported === null ? text : JSON.stringify({ ...exported, activity: [] });
}

/** @param answer any answer; the cookie it sets is left out */
export function secretProblem(
  { headers, text }: Pick<Answer, 'headers' | 'text'>,
  { route, secrets }: Pick<Sent, 'route' | 'secrets'>,
): string | null {
  const said = [text, ...Object.entries(headers).flatMap(([name, value]) => (name === 'set-cookie' ? [] : [value]))].join('\n');
  if (secrets.some((secret) => said.includes(secret))) return 'a secret that was sent';
  const shown = handedOut.find(([shape, routes]) => shape.test(said) && !routes.includes(route ?? ''));
  return shown === undefined ? null : `a secret like ${shown[0].source}`;
}

function cookieProblem({ status, headers }: Answer, { route, secrets, secure }: Sent): string | null {
  for (const line of (headers['set-cookie'] ?? '').split('\n').filter((each) => each !== '')) {
    const [pair = '', ...attributes] = line.split(/; */);
    const [name = '', value = ''] = pair.split('=');
    const cookieRoute = cookieRoutes[route ?? ''];
    if (cookieRoute?.statuses.includes(status) !== true || !cookieRoute.names.test(name)) return `sets the cookie ${name}`;
    const has = (attribute: RegExp): boolean => attributes.some((each) => attribute.test(each));
    if (!has(/^HttpOnly$/i)) return `the cookie ${name} is not HttpOnly`;
    if (!has(/^SameSite=(?:Lax|Strict)$/i)) return `the cookie ${name} is not SameSite`;
    if (!has(/^Path=\/$/i) || has(/^Domain=/i)) return `the cookie ${name} is not this host's alone: ${attributes.join('; ')}`;
    if (secure !== name.startsWith('__Host-') || secure !== has(/^Secure$/i)) return `the cookie ${name} is ${secure ? 'not ' : ''}Secure`;
    if (secrets.includes(value)) return 'a session that was there before goes on in a cookie of its own';
  }
  return null;
}

function formProblem(answer: Answer, { others, method }: Sent): string | null {
  const { status, headers, text } = answer;
  if (status === 304 || (status === 200 && !/^application\/json\b/.test(headers['content-type'] ?? ''))) return null;
  if (status === 200 && !/\bno-store\b/.test(headers['cache-control'] ?? '')) return 'may be kept by a cache';
  if (method === 'HEAD') return status === 500 ? 'an error of the service' : null;
  const problem = envelopeProblem(answer, others.secret, consoleCodes);
  if (problem !== null) return problem;
  const field = parsed(text)?.['field'];
  if (typeof field === 'string' && (field === '' || field.length > fieldCharsMax)) return `a field of ${field.length} characters`;
  if (status >= 429 && status !== 501 && text.includes('"code":"too_') && !/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
    return `${status} without Retry-After`;
  return null;
}

function redirectProblem({ headers }: Answer): string | null {
  const location = headers['location'] ?? '';
  if (!leadsTo.test(location)) return `leads to ${location.slice(0, 200)}`;
  return /\bno-store\b/.test(headers['cache-control'] ?? '') ? null : 'may be kept by a cache';
}
