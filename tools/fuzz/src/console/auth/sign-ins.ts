/** Answers of a provider and redirects of a browser, and whether each signs in. */
import fc from 'fast-check';
import type { TokenAnswer } from './hostile-provider.js';

export interface SignIn {
  what: string;
  answer: TokenAnswer;
  /** The browser's query, with placeholders `{code}` and `{state}`. */
  query: string;
  cookie: 'own' | 'other' | 'none';
  signsIn: boolean;
}

export const nonce = '{nonce}';
export const newAddress = '{new address}';
export const takenAddress = '{taken address}';

const tokens = '{"access_token":"a","token_type":"Bearer","id_token":"{id_token}"}';
const claims = { nonce, sub: '{new subject}', email: newAddress, email_verified: true };
const inOrder: TokenAnswer = { status: 200, type: 'application/json', body: tokens, claims, header: {} };
const broughtBack = 'code={code}&state={state}';

function signIn(what: string, more: Partial<SignIn> & { answer?: TokenAnswer }): SignIn {
  return { what, answer: inOrder, query: broughtBack, cookie: 'own', signsIn: false, ...more };
}

const right = signIn('in order', { signsIn: true });

const claimed: readonly [what: string, claims: Record<string, unknown>][] = [
  ['another nonce', { nonce: 'x' }],
  ['no nonce', { nonce: undefined }],
  ['another issuer', { iss: 'https://evil.example' }],
  ['for another client', { aud: 'other' }],
  ['for many clients', { aud: ['perch', 'other'] }],
  ['over', { exp: 1 }],
  ['not yet', { nbf: 99_999_999_999 }],
  ['exp as text', { exp: '9999999999' }],
  ['no subject', { sub: undefined }],
  ['a subject that is none', { sub: 7 }],
  ['an empty subject', { sub: '' }],
  ['no address', { email: undefined }],
  ['an address that nobody vouches for', { email_verified: false }],
  ['an address vouched for by a text', { email_verified: 'true' }],
  ['a list of addresses', { email: [newAddress] }],
  ['an address that is none', { email: 'nobody' }],
  ['an address with a line break', { email: 'a@b\r\nset-cookie: c=d' }],
  ['an address of 100,000 characters', { email: '{long}@b.example' }],
  ["somebody's address", { email: takenAddress }],
  ["somebody's address in capitals", { email: `${takenAddress} ` }],
  ['an address that is an object', { email: { toString: 'x' } }],
];

const answered: readonly [what: string, answer: Partial<TokenAnswer>][] = [
  ['an error', { status: 400, body: '{"error":"invalid_grant"}' }],
  ['an error with markup', { status: 400, body: '{"error":"<script>","error_description":"not-yours"}' }],
  ['a 500', { status: 500, body: 'x' }],
  ['a page', { type: 'text/html', body: '<html>' }],
  ['nothing', { body: '' }],
  ['null', { body: 'null' }],
  ['a list', { body: '[]' }],
  ['half of it', { body: '{"access_token":"a"' }],
  ['no ID token', { body: '{"access_token":"a","token_type":"Bearer"}' }],
  ['no access token', { body: '{"token_type":"Bearer","id_token":"{id_token}"}' }],
  ['a token of another type', { body: tokens.replace('Bearer', 'N_A_') }],
  ['an ID token that is none', { body: tokens.replace('{id_token}', 'x.y.z') }],
  ['an ID token in two parts', { body: tokens.replace('{id_token}', 'e30.e30') }],
  ['an ID token that is a number', { body: tokens.replace('"{id_token}"', '7') }],
  ['a list 20,000 deep', { body: '{deep}' }],
  ['two megabytes', { body: '{"x":"{huge}"}' }],
  ['nobody signed', { header: { alg: 'none' } }],
  ['signed by a shared secret', { header: { alg: 'HS256' } }],
  ['with what must be understood', { header: { crit: ['x'], x: 1 } }],
  ['leading elsewhere', { status: 302, body: '' }],
];

const queries = [
  'code={code}',
  'state={state}',
  'code={code}&state=',
  'code={code}&state=x',
  'code={code}&state={state}&state={state}',
  'code={code}&code={code}&state={state}',
  'code={code}&state={state}&iss=https://evil.example',
  'code={code}&state={state}&error=access_denied',
  'error=access_denied&state={state}',
  'error=%3Cscript%3E&error_description=%0d%0aset-cookie:a=b&state={state}',
  'code=&state={state}',
  'code=%00&state={state}',
  'code={code}&state={state}&response={code}',
  'id_token=x&state={state}',
  '',
];

const all: readonly SignIn[] = [
  ...claimed.map(([what, more]) => signIn(what, { answer: { ...inOrder, claims: { ...claims, ...more } } })),
  ...answered.map(([what, more]) => signIn(what, { answer: { ...inOrder, ...more } })),
  ...queries.map((query) => signIn(`back with ${query.slice(0, 60)}`, { query })),
  signIn('brought by another browser', { cookie: 'other' }),
  signIn('brought by a browser without a cookie', { cookie: 'none' }),
];

export const signIns: fc.Arbitrary<SignIn> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(right) },
  { weight: 8, arbitrary: fc.constantFrom(...all) },
);
