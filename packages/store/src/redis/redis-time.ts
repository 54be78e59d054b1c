import type { Connections } from './connections.js';

/** @returns whole ms since 1970 */
export async function redisTimeMs({ commands }: Connections): Promise<number> {
  const [seconds, micros] = await commands.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
