/** What stands in a draft for what is known only when it is sent: ids, addresses, things that work once. Each is of the form that it stands for. */
import { hash, randomBytes } from 'node:crypto';
import type { Stage } from '../../stage.js';
import type { Member, People } from '../auth/people.js';

export const standIns = {
  /** An address that nobody has. */
  newEmail: 'new-address@stand-in.fuzz',
  /** Of who sends it. */
  ownEmail: 'own-address@stand-in.fuzz',
  /** SHA-256 of it, under which the account is found. */
  ownEmailHash: 'hash-of-own-address-stand-in-fuzz',
  link: 'pl_stand-in-for-a-link-that-works-once',
  invitation: 'pi_stand-in-for-an-invitation',
  code: 'STNDINCD',
  virtualRobot: 'r-standin000',
  plainRobot: 'r-standin001',
  /** Connected; of the account whose keys all others use. */
  foreignRobot: 'r-standin002',
  onceRobot: 'r-standin003',
  onceKey: 'k-standin000',
  foreignKey: 'k-standin001',
} as const;

type Name = keyof typeof standIns;

export interface Props {
  stage: Stage;
  people: People;
  foreignKey: string;
}

/** @returns puts in what each stands for, the same for the same */
export function stagehand(props: Props, member: Member): (text: string) => Promise<string> {
  const known = new Map<Name, string>();
  return async (text) => {
    let put = text;
    for (const [name, standIn] of Object.entries(standIns) as [Name, string][]) {
      if (!put.includes(standIn)) continue;
      const real = known.get(name) ?? (await realOf(name, props, member));
      known.set(name, real);
      put = put.replaceAll(standIn, real);
    }
    return put;
  };
}

async function realOf(
  name: Name,
  { stage: { store, others }, foreignKey }: Props,
  { account, email, virtualRobot, plainRobot }: Member,
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
  }
}
