/** One instance of the system. Its addresses are stable; its process may be killed and replaced. */
import type { TcpProxy } from '@perch/testkit';
import type { Track } from './spans.js';

export type Service = 'gateway' | 'robot-link' | 'renderer' | 'webhooks';

export interface Instance {
  readonly service: Service;
  /** `gateway-0`, `robot-link-1`, `renderer-0`, `webhooks-1`: stable over restarts. */
  readonly place: string;
  /** Through the proxy: `http://127.0.0.1:PORT` or `ws://127.0.0.1:PORT/robot/v1/link`. Empty for other services. */
  readonly url: string;
  readonly admin: string;
  /** `gw-xxxxxx`; changes with a restart. */
  readonly instance: string;
  readonly pid: number;
  /** Null for services without clients. */
  readonly clients: TcpProxy | null;
  /** Null on a Cluster, whose nodes clients reach directly. */
  readonly redis: TcpProxy | null;
  /** Neither stopped nor draining. A restart interrupts it. */
  readonly running: Track;
  /** Connections neither cut, half-open nor slowed. */
  readonly reachable: Track;
  readonly served: Track;
  kill(): Promise<void>;
  /** A process that does not end in time is killed, and reported as a crash. */
  drain(): Promise<void>;
  /** Resolves when a process is ready. @param env overrides the instance's own @param root source tree of the service @throws after a minute */
  start(env?: Readonly<Record<string, string>>, root?: string): Promise<void>;
  reachThrough(url: string): () => void;
  freeze(): Promise<() => Promise<void>>;
}

export function wellThroughout(instance: Instance, from: number, to: number): boolean {
  return instance.running.throughout(from, to) && instance.reachable.throughout(from, to) && instance.served.throughout(from, to);
}
