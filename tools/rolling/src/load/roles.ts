/** The roles of robots. Calls that refuse each other by design (a bubble under a card) use different robots. */
import type { ClientKey } from '@perch/chaos';
import type { Store } from '@perch/store';

/** asked: waits; sound: melodies; cards: pictures on the screen; talk: speech bubbles. cards and talk also get LEDs, head, face and own commands. */
export type Role = 'asked' | 'sound' | 'cards' | 'talk';

export interface RobotWithRole {
  id: string;
  account: string;
  token: string;
  role: Role;
}

export interface Tenant {
  account: string;
  robots: readonly RobotWithRole[];
  newKey: () => Promise<ClientKey>;
}

const roles: readonly Role[] = ['asked', 'cards', 'sound', 'talk'];
const accounts = 2;

export async function newTenants(store: Store, robots: number): Promise<Tenant[]> {
  return Promise.all(
    Array.from({ length: accounts }, async (_, index) => {
      const { account } = await store.accounts.create({ email: `rolling-${Date.now()}-${index}@example.com` });
      const count = Math.ceil((robots - index) / accounts);
      const made = await Promise.all(Array.from({ length: count }, () => store.robots.create({ account })));
      return {
        account,
        robots: made.map(({ robot, token }, i) => ({ id: robot, account, token, role: roles[i % roles.length]! })),
        newKey: () => newKey(store, account),
      };
    }),
  );
}

async function newKey(store: Store, account: string): Promise<ClientKey> {
  const { id, apiKey } = await store.apiKeys.create({ account, name: 'rolling' });
  return { id, apiKey };
}
