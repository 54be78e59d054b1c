/** The same tool call with an access token of an OAuth client and with an API key, through the same gateway. */
import { openStore } from '@perch/store';
import type { Bench } from '../bench.js';
import type { Targets } from '../load/load.js';
import { turned } from '../rounds.js';
import { ratios } from '../statistics.js';
import { accessTokens } from '../variants/access-tokens.js';
import type { Perch } from '../variants/perch.js';

const kinds = ['key', 'token'] as const;
type Kind = (typeof kinds)[number];

/** Of the revision that most clients speak. */
const tool = '2025-11-25';

export async function measureToken(bench: Bench): Promise<void> {
  bench.log('access tokens and API keys');
  const perch = await bench.shared('plain');
  const { targets } = perch;
  const targetsOf: Record<Kind, Targets> = { key: targets, token: { ...targets, keys: await tokensOf(perch) } };
  for (const kind of kinds) await bench.warmUp(perch, { tool, targets: targetsOf[kind] });
  const rounds = await bench.rounds('access tokens', async (round) => {
    const cpu = {} as Record<Kind, number>;
    for (const kind of turned(kinds, round))
      cpu[kind] = (await bench.run(perch, { calls: bench.plan.calls[16], inFlight: 16, tool, targets: targetsOf[kind] })).cpuMs;
    return cpu;
  });
  const costs = (kind: Kind): number[] => rounds.map((cpu) => cpu[kind]);
  bench.figures.set('CPU of a tool call with an access token', ratios(costs('token'), costs('key')));
}

/** As many as there are keys, so that both rate limits are charged alike. */
async function tokensOf({ redisUrl, account, keys }: Perch): Promise<string[]> {
  const store = await openStore({ url: redisUrl, instance: 'bench-tokens' });
  try {
    return await accessTokens(store, account, keys.length);
  } finally {
    await store.close();
  }
}
