/** A second implementation of packages/schema/src/console/console.ts. */
import { isRecord } from '../../generate/json.js';
import type { Probe } from '../../generate/probe.js';
import { kind, text, textOf, type BodyKind } from '../requests/body-kind.js';
import { done, wrong, type End } from '../requests/expected-results.js';
import { password } from './console-users.js';
import { passkeySignIn } from './passkey-bodies.js';
import { placeholders } from '../requests/placeholders.js';

const anotherPassword = 'another-horse-battery-91ab';
const newPassword = text({ minLength: 12, maxLength: 200 });

function emailEnds(email: string, right: readonly End[]): readonly End[] {
  const address = email.trim();
  const parts = address.split('@');
  if (parts.length !== 2 || parts.includes('') || address.length > 254) return [wrong('email')];
  return /^[\w.+-]+@[\w.-]+$/.test(address) ? right : [...right, wrong('email')];
}

/** Common passwords are refused; only the service knows which. */
function commonEnds(chosen: unknown): readonly End[] {
  const isLong = [...textOf(chosen)].length >= 12;
  return !isLong || chosen === password || chosen === anotherPassword ? [] : [wrong('password')];
}

const emails: Probe[] = [
  'a@b',
  ' a@b ',
  'a',
  '@',
  'a@',
  '@b',
  'a@b@c',
  'a b@c',
  'a@b\n',
  'a\n@b',
  'a@b\r\nbcc: c@d',
  '<a@b>',
  '"a"@b',
  'a@[127.0.0.1]',
  'ä@bücher.example',
  'a@\u202eb',
  'a\u0000@b',
  'a@b,c@d',
  `${'a'.repeat(252)}@b`,
  `${'a'.repeat(253)}@b`,
  `${'漢'.repeat(126)}@b`,
  `${'🤖'.repeat(127)}@b`,
  placeholders.ownEmail,
  placeholders.ownEmail.toUpperCase(),
].map((value) => ({ what: `the address ${JSON.stringify(value.slice(0, 40))}`, value }));

const busy: End = { status: 503, code: 'too_busy' };

export const signUpBody = kind(
  { properties: { email: text(), password: newPassword, invitation: text() }, required: ['email', 'password'] },
  [
    { email: placeholders.newEmail, password },
    { email: placeholders.newEmail, password, invitation: placeholders.invitation },
    { email: placeholders.newEmail, password, invitation: 'pi_none' },
    { email: placeholders.ownEmail, password },
  ],
  {
    probes: { email: emails },
    right: ({ email, password: chosen }) =>
      emailEnds(textOf(email), [...done, ...commonEnds(chosen), busy, { status: 409, code: 'conflict', fields: ['email'] }]),
  },
);

/** @param ends results with open sign-up @param body before placeholders are filled */
export function endsByInvitation(ends: readonly End[], body: string): readonly End[] {
  if (body.includes(placeholders.invitation) || !ends.some(({ status }) => status === 200)) return ends;
  return [...ends.filter(({ status }) => status === 400), { status: 403, code: 'sign_up_closed', fields: ['invitation'] }];
}

/** Unknown accounts and wrong passwords get the same answer. */
const wrongCredentials: End = { status: 401, code: 'wrong_credentials' };

const byPassword = kind(
  { properties: { email: text(), password: text({ maxLength: 200 }) }, required: ['email', 'password'] },
  [
    { email: placeholders.ownEmail, password },
    { email: placeholders.newEmail, password },
  ],
  {
    probes: { email: emails },
    right: ({ email, password: given }) =>
      emailEnds(
        textOf(email),
        email === placeholders.ownEmail && given === password ? [...done, busy] : [...(isOwn(email) ? done : []), wrongCredentials, busy],
      ),
  },
);

function isOwn(email: unknown): boolean {
  return textOf(email).trim().toLowerCase() === placeholders.ownEmail;
}

const byLink = kind({ properties: { link: text() }, required: ['link'] }, [{ link: placeholders.link }, { link: 'pl_none' }], {
  right: ({ link }) => (link === placeholders.link ? done : [wrongCredentials]),
});

/** A link or a passkey is used alone; the result with other fields beside it is undefined. */
export const signInBodies: readonly BodyKind[] = [byPassword, byLink, passkeySignIn].map((own) => ({
  ...own,
  endsOf: (body) => {
    if (!isRecord(body)) return own.endsOf(body);
    if (Object.hasOwn(body, 'passkey')) return [...passkeySignIn.endsOf(body), ...own.endsOf(body)];
    return Object.hasOwn(body, 'link')
      ? [...byLink.endsOf({ link: body['link'] }), ...own.endsOf(body)]
      : [...byPassword.endsOf(body), ...own.endsOf(body)];
  },
}));

export const passwordBody = kind(
  { properties: { current: text({ maxLength: 200 }), password: newPassword }, required: ['current', 'password'] },
  [
    { current: password, password: anotherPassword },
    { current: 'wrong-horse-battery-3d', password: anotherPassword },
  ],
  {
    right: ({ current, password: chosen }) =>
      current === password ? [...done, ...commonEnds(chosen), busy] : [{ status: 401, code: 'wrong_credentials', fields: ['current'] }, busy],
  },
);

/** Never the account's own address: an owner of the fuzzed accounts has no password, and would be removed. */
export const removalBody = kind(
  { properties: { email: text(), password: text({ maxLength: 200 }) }, required: ['email'] },
  [{ email: placeholders.newEmail, password: 'wrong-horse-battery-3d' }, { email: placeholders.newEmail }],
  { probes: { email: emails.filter(({ value }) => !isOwn(value)) }, right: () => [wrong('email')] },
);

export const requestResetBody = kind(
  { properties: { email: text() }, required: ['email'] },
  [{ email: placeholders.ownEmail }, { email: placeholders.newEmail }],
  {
    probes: { email: emails },
    right: ({ email }) => emailEnds(textOf(email), [...done, { status: 429, code: 'too_many_attempts' }]),
  },
);

/** A link that works is used by the reset. */
export const findResetBody = kind({ properties: { token: text() }, required: ['token'] }, [{ token: 'pr_none' }], {
  right: () => [wrongCredentials],
});

export const resetPasswordBody = kind(
  { properties: { token: text(), password: newPassword }, required: ['token', 'password'] },
  [
    { token: placeholders.reset, password: anotherPassword },
    { token: 'pr_none', password: anotherPassword },
  ],
  {
    right: ({ token, password: chosen }) => (token === placeholders.reset ? [...done, ...commonEnds(chosen), busy] : [wrongCredentials]),
  },
);

/** The browser is signed out, or in to another account. */
const openedElsewhere: End = { status: 409, code: 'conflict', fields: ['password'] };

export const verifyEmailBody = kind(
  { properties: { token: text(), password: newPassword }, required: ['token'] },
  [
    { token: placeholders.verification },
    { token: placeholders.verification, password: anotherPassword },
    { token: 'pv_none' },
    { token: 'pv_none', password: anotherPassword },
  ],
  {
    right: ({ token, password: chosen }) => {
      if (token !== placeholders.verification) return [wrongCredentials];
      return chosen === undefined ? [...done, openedElsewhere] : [...done, ...commonEnds(chosen), busy];
    },
  },
);
