import { secret, type FuzzSystem } from '../fuzz-system.js';
import type { SenderCredentials } from './requests/sender-headers.js';
import { ConsoleUsers, type ConsoleUser } from './auth/console-users.js';
import { addPasskey } from './requests/placeholders.js';
import { httpsEndpoint, httpEndpoint, type ConsoleEndpoint } from './console-endpoint.js';

export interface ConsoleSetup {
  users: ConsoleUsers;
  foreignKey: string;
  foreignSession: string;
  foreignPasskey: string;
  plain: ConsoleEndpoint;
  https: ConsoleEndpoint;
  credentialsOf: (user: ConsoleUser, endpoint: ConsoleEndpoint) => SenderCredentials;
  close: () => Promise<void>;
}

/** @param calls that sessions are needed for */
export async function openConsoleSetup(system: FuzzSystem, calls: number): Promise<ConsoleSetup> {
  const { store, others } = system;
  const users = await ConsoleUsers.open(system, calls);
  const { id: foreignKey } = await store.apiKeys.create({ account: others.account, name: secret });
  const { keyHash } = await store.sessions.begin(others.account);
  const foreignPasskey = await addPasskey(store, others.account);
  const [foreign] = await store.sessions.list(others.account);
  return {
    users,
    foreignKey,
    foreignSession: foreign!.id,
    foreignPasskey,
    plain: httpEndpoint(system),
    https: await httpsEndpoint(system),
    credentialsOf: ({ secret: own }, endpoint) => ({
      endpoint,
      secret: own,
      otherSecret: users.otherSecret,
      endedSecret: users.endedSecret,
      apiKey: users.apiKey,
    }),
    async close() {
      await Promise.all([
        store.apiKeys.revoke(others.account, foreignKey),
        store.sessions.end(others.account, keyHash),
        store.passkeys.remove(others.account, foreignPasskey),
      ]);
    },
  };
}
