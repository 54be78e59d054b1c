/** For values known only when the request is sent. Each placeholder has the format of its value. */
import { hash, randomBytes } from 'node:crypto';
import type { FuzzSystem } from '../../fuzz-system.js';
import type { ConsoleUser, ConsoleUsers } from '../auth/console-users.js';

export const placeholders = {
  newEmail: 'new-address@stand-in.fuzz',
  ownEmail: 'own-address@stand-in.fuzz',
  ownEmailHash: 'hash-of-own-address-stand-in-fuzz',
  link: 'pl_stand-in-for-a-link-that-works-once',
  reset: 'pr_stand-in-for-a-reset-that-works-once',
  verification: 'pv_stand-in-for-a-verification',
  invitation: 'pi_stand-in-for-an-invitation',
  code: 'STNDINCD',
  virtualRobot: 'r-standin000',
  plainRobot: 'r-standin001',
  foreignRobot: 'r-standin002',
  onceRobot: 'r-standin003',
  onceKey: 'k-standin000',
  foreignKey: 'k-standin001',
  onceSession: 's-standin000',
  foreignSession: 's-standin001',
  passkey: 'p-standin000',
  foreignPasskey: 'p-standin001',
} as const;

type Name = keyof typeof placeholders;

export interface Props {
  system: FuzzSystem;
  users: ConsoleUsers;
  foreignKey: string;
  foreignSession: string;
  foreignPasskey: string;
}

/** The same placeholder is always replaced by the same value. */
export function placeholderFiller(props: Props, user: ConsoleUser): (text: string) => Promise<string> {
  const known = new Map<Name, string>();
  return async (text) => {
    let put = text;
    for (const [name, placeholder] of Object.entries(placeholders) as [Name, string][]) {
      if (!put.includes(placeholder)) continue;
      const real = known.get(name) ?? (await realOf(name, props, user));
      known.set(name, real);
      put = put.replaceAll(placeholder, real);
    }
    return put;
  };
}

async function realOf(
  name: Name,
  { system: { store, others }, foreignKey, foreignSession, foreignPasskey }: Props,
  { account, email, virtualRobot, plainRobot }: ConsoleUser,
): Promise<string> {
  switch (name) {
    case 'newEmail':
      return `${randomBytes(9).toString('hex')}@new.fuzz`;
    case 'ownEmail':
      return email;
    case 'ownEmailHash':
      return hash('sha256', email, 'hex');
    case 'link':
      return store.signInTokens.make(account, 60_000);
    case 'reset':
      return store.passwordResets.make(account);
    case 'verification':
      return store.emailVerifications.make(account, 60_000);
    case 'invitation':
      return store.invitations.make('', 60_000);
    case 'code':
      return (await store.pairing.begin({ serial: randomBytes(9).toString('hex'), model: 'fuzz', firmware: '1' })).userCode;
    case 'virtualRobot':
      return virtualRobot;
    case 'plainRobot':
      return plainRobot;
    case 'foreignRobot':
      return others.robots[0]!.id;
    case 'onceRobot':
      return (await store.robots.create({ account, virtual: true })).robot;
    case 'onceKey':
      return (await store.apiKeys.create({ account })).id;
    case 'foreignKey':
      return foreignKey;
    case 'onceSession':
      return anotherSession(store, account);
    case 'foreignSession':
      return foreignSession;
    case 'passkey':
      return (await store.passkeys.list(account))[0]?.id ?? addPasskey(store, account);
    case 'foreignPasskey':
      return foreignPasskey;
  }
}

export async function addPasskey({ passkeys }: FuzzSystem['store'], account: string): Promise<string> {
  const credential = randomBytes(16).toString('base64url');
  const passkey = { name: 'phone', host: 'perch.example', credential, publicKey: 'AA', counter: 0, transports: [], synced: false };
  return (await passkeys.add(account, passkey))!;
}

async function anotherSession({ sessions }: FuzzSystem['store'], account: string): Promise<string> {
  const { keyHash } = await sessions.begin(account);
  return (await sessions.list(account)).find((session) => session.keyHash === keyHash)!.id;
}
