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

/** The revision of MCP that most clients speak. */
const tool = '2025-11-25';

/** One process serves both kinds of calls in slices of less than a second, so that what else the machine does meets both alike. */
const blocksOf = (rounds: number): number => 2 * (rounds + 1);
const slicesOfBlock = 4;
const inFlight = 16;

export async function measureToken(bench: Bench): Promise<void> {
  bench.log('access tokens and API keys');
  const perch = await bench.shared('plain');
  const { targets } = perch;
  const targetsOf: Record<Kind, Targets> = { key: targets, token: { ...targets, keys: await tokensOf(perch) } };
  for (const kind of kinds) await bench.warmUp(perch, { tool, targets: targetsOf[kind] });
  const calls = Math.max(inFlight, Math.round(bench.plan.calls[inFlight] / 2 / slicesOfBlock));
  const costs: Record<Kind, number[]> = { key: [], token: [] };
  const blocks = blocksOf(bench.plan.rounds);
  for (let block = 0; block < blocks; block++) {
    const spent: Record<Kind, number> = { key: 0, token: 0 };
    for (let slice = 0; slice < slicesOfBlock; slice++)
      for (const kind of turned(kinds, block + slice))
        spent[kind] += (await bench.run(perch, { calls, inFlight, tool, targets: targetsOf[kind] })).cpuMs / slicesOfBlock;
    for (const kind of kinds) costs[kind].push(spent[kind]);
    bench.log(`access tokens, block ${block + 1} of ${blocks}: key ${spent.key.toFixed(3)}, token ${spent.token.toFixed(3)} ms/call`);
  }
  bench.figures.set('CPU of a tool call with an access token', ratios(costs.token, costs.key));
}

/** Returns as many tokens as there are keys, so that both rate limits are charged alike. */
async function tokensOf({ redisUrl, account, keys }: Perch): Promise<string[]> {
  const store = await openStore({ url: redisUrl, instance: 'bench-tokens' });
  try {
    return await accessTokens(store, account, keys.length);
  } finally {
    await store.close();
  }
}
