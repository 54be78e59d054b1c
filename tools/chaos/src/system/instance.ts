/** One instance of the system. Its addresses are stable; its process may be killed and replaced. */
import type { TcpProxy } from '@perch/testkit';
import type { Track } from './spans.js';

export type Service = 'gateway' | 'robot-link' | 'renderer' | 'webhooks';

export interface Instance {
  readonly service: Service;
  /** `gateway-0`, `robot-link-1`, `renderer-0`, `webhooks-1`: stable over restarts. */
  readonly place: string;
  /**
   * URL that programs or robots dial, through the proxy: `http://127.0.0.1:PORT` or `ws://127.0.0.1:PORT/robot/v1/link`. Empty for other services.
   */
  readonly url: string;
  readonly admin: string;
  /** The instance id of its process (`gw-xxxxxx`); changes with a restart. */
  readonly instance: string;
  /** 0 while no process runs. */
  readonly pid: number;
  /** Proxy between clients (programs or robots) and the instance; null for services without clients. */
  readonly clients: TcpProxy | null;
  /** Proxy between the instance and Redis; null on a Cluster, whose nodes clients reach directly. */
  readonly redis: TcpProxy | null;
  /** When its process ran and was neither stopped nor draining. A restart interrupts it. */
  readonly running: Track;
  /** When its clients reached it: connections neither cut, half-open nor slowed. */
  readonly reachable: Track;
  /** When it reached Redis, and Redis served it. */
  readonly served: Track;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves when the process has ended. A process that does not end in time is killed, and reported as a crash. */
  drain(): Promise<void>;
  /**
   * Starts a process if none runs; resolves when it is ready.
   * @param env overrides the instance's own environment
   * @param root source tree of the service; default: this one
   * @throws after a minute
   */
  start(env?: Readonly<Record<string, string>>, root?: string): Promise<void>;
  /** Makes programs dial this base URL instead. @returns ends that */
  reachThrough(url: string): () => void;
  /** Sends SIGSTOP. @returns sends SIGCONT; calling it more than once is safe */
  freeze(): Promise<() => Promise<void>>;
}

export function wellThroughout(instance: Instance, from: number, to: number): boolean {
  return instance.running.throughout(from, to) && instance.reachable.throughout(from, to) && instance.served.throughout(from, to);
}
