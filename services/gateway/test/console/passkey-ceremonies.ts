/** Registers passkeys and signs in with them, as pages of the console do. */
import assert from 'node:assert/strict';
import type { GatewayUnderTest, Answer } from '../gateway-under-test.js';
import type { Authenticator, CeremonyOptions, Deviation } from './authenticator.js';
import { Browser, email, passphrase } from './browser.js';
import { hostClient } from './host-client.js';

/** @param at origin of the page */
export function browserAt(at: string, of: GatewayUnderTest): Browser {
  return new Browser(hostClient(of), { host: new URL(at).host, origin: at });
}

export async function optionsOf(by: Browser, path: 'passkeys/options' | 'session/options', body: object = {}): Promise<CeremonyOptions> {
  const answer = await by.ask('POST', path, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.options;
}

export async function add(by: Browser, using: Authenticator, { name, change = {} }: { name?: string; change?: Deviation } = {}): Promise<Answer> {
  const options = await optionsOf(by, 'passkeys/options', { current: passphrase });
  return by.ask('POST', 'passkeys', { ...(name === undefined ? {} : { name }), passkey: using.create(options, by.headers['origin']!, change) });
}

export async function signInBy(by: Browser, using: Authenticator, change: Deviation): Promise<Answer> {
  return by.ask('POST', 'session', { passkey: using.get(await optionsOf(by, 'session/options'), by.headers['origin']!, change) });
}

/** Signs up, and adds a passkey. @returns the account's id and the passkey's */
export async function accountWithPasskey(by: Browser, using: Authenticator, name: string): Promise<{ account: string; id: string }> {
  const account = (await by.signUp(email())).body.account.id as string;
  const { status, body } = await add(by, using, { name });
  assert.equal(status, 200, JSON.stringify(body));
  return { account, id: body.passkey.id };
}
