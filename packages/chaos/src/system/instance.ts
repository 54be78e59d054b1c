/** A place in the system that one service process after another fills: `gateway-0`. Its addresses stay; the process may be killed and replaced. */
import type { ServiceName } from '@perch/launcher';
import type { Track } from './spans.js';
import type { Proxy } from './proxy.js';

export interface Instance {
  readonly service: ServiceName;
  /** `gateway-0`, `robot-link-1`, `renderer-0`: the same over restarts. */
  readonly place: string;
  /** What programs or robots dial, through the proxy: `http://127.0.0.1:PORT` or `ws://127.0.0.1:PORT/robot/v1/link`. Empty for a renderer. */
  readonly url: string;
  /** Address of its admin server; another one after a restart. */
  readonly admin: string;
  /** The id the process gave itself (`gw-xxxxxx`); another one after a restart. */
  readonly instance: string;
  /** 0 while no process runs. */
  readonly pid: number;
  /** Between its clients (programs or robots) and it; null for a renderer. */
  readonly clients: Proxy | null;
  /** Between it and Redis; null on a Cluster, whose nodes clients find past a proxy. */
  readonly redis: Proxy | null;
  /** A process runs in this place, is not stopped, and is not being drained. A restart breaks it. */
  readonly running: Track;
  /** Its clients reach it: no cut, no half-open line, no delay worth the name. */
  readonly reachable: Track;
  /** It reaches Redis, and Redis serves it. */
  readonly served: Track;
}

/** Whether the instance ran, was reachable and had its Redis all the time between. */
export function wellThroughout(instance: Instance, from: number, to: number): boolean {
  return instance.running.throughout(from, to) && instance.reachable.throughout(from, to) && instance.served.throughout(from, to);
}
