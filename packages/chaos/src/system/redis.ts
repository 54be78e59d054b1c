/** The Redis of the system: one server with its append-only file, or a Cluster of three masters with a replica each. */
import type { LocalRedis } from '@perch/local-redis';

export interface SystemRedis {
  readonly shape: 'single' | 'cluster';
  /** Past every proxy; for stores of the chaos process itself. */
  readonly url: string;
  /** The one server, or all six nodes. */
  readonly nodes: readonly LocalRedis[];
}
