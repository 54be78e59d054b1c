/** The environment of an attack on the console: users, a key of another account, and both endpoints. `close` ends everything. */
import { secret, type Stage } from '../stage.js';
import type { Papers } from './requests/papers.js';
import { People, type Member } from './auth/people.js';
import { httpsSide, plainSide, type Side } from './side.js';

export interface Setting {
  people: People;
  foreignKey: string;
  plain: Side;
  https: Side;
  papersOf: (member: Member, side: Side) => Papers;
  close: () => Promise<void>;
}

/** @param calls number of calls that sessions are needed for */
export async function openSetting(stage: Stage, calls: number): Promise<Setting> {
  const { store, others } = stage;
  const people = await People.open(stage, calls);
  const { id: foreignKey } = await store.apiKeys.create({ account: others.account, name: secret });
  return {
    people,
    foreignKey,
    plain: plainSide(stage),
    https: await httpsSide(stage),
    papersOf: ({ secret: own }, side) => ({
      side,
      secret: own,
      otherSecret: people.otherSecret,
      endedSecret: people.endedSecret,
      apiKey: people.apiKey,
    }),
    async close() {
      await store.apiKeys.revoke(others.account, foreignKey);
    },
  };
}
