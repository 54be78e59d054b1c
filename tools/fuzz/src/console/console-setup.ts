/** The environment of an attack on the console: users, a key of another account, and both endpoints. `close` ends everything. */
import { secret, type TestSystem } from '../test-system.js';
import type { SenderCredentials } from './requests/sender-headers.js';
import { ConsoleUsers, type ConsoleUser } from './auth/console-users.js';
import { httpsEndpoint, httpEndpoint, type ConsoleEndpoint } from './console-endpoint.js';

export interface ConsoleSetup {
  users: ConsoleUsers;
  foreignKey: string;
  plain: ConsoleEndpoint;
  https: ConsoleEndpoint;
  credentialsOf: (user: ConsoleUser, endpoint: ConsoleEndpoint) => SenderCredentials;
  close: () => Promise<void>;
}

/** @param calls number of calls that sessions are needed for */
export async function openConsoleSetup(system: TestSystem, calls: number): Promise<ConsoleSetup> {
  const { store, others } = system;
  const users = await ConsoleUsers.open(system, calls);
  const { id: foreignKey } = await store.apiKeys.create({ account: others.account, name: secret });
  return {
    users,
    foreignKey,
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
      await store.apiKeys.revoke(others.account, foreignKey);
    },
  };
}
