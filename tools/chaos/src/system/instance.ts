/** A place in the system that one service process after another fills. Its addresses stay; the process may be killed and replaced. */
import type { TcpProxy } from '@perch/testkit';
import type { Track } from './spans.js';

/** The services that rounds run on. */
export type Service = 'gateway' | 'robot-link' | 'renderer' | 'webhooks';

export interface Instance {
  readonly service: Service;
  /** `gateway-0`, `robot-link-1`, `renderer-0`, `webhooks-1`: the same over restarts. */
  readonly place: string;
  /** What programs or robots dial, through the proxy: `http://127.0.0.1:PORT` or `ws://127.0.0.1:PORT/robot/v1/link`. Empty for the others. */
  readonly url: string;
  /** Address of its admin server; another one after a restart. */
  readonly admin: string;
  /** The id the process gave itself (`gw-xxxxxx`); another one after a restart. */
  readonly instance: string;
  /** 0 while no process runs. */
  readonly pid: number;
  /** Between its clients (programs or robots) and it; null where it has none. */
  readonly clients: TcpProxy | null;
  /** Between it and Redis; null on a Cluster, whose nodes clients find past a proxy. */
  readonly redis: TcpProxy | null;
  /** A process runs in this place, is not stopped, and is not being drained. A restart breaks it. */
  readonly running: Track;
  /** Its clients reach it: no cut, no half-open line, no delay worth the name. */
  readonly reachable: Track;
  /** It reaches Redis, and Redis serves it. */
  readonly served: Track;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when it is gone. One that does not go by itself is killed, and reported as a crash. */
  drain(): Promise<void>;
  /**
   * Starts a process in this place if none runs; resolves when it is ready.
   * @param env over the place's own
   * @param root source tree whose service is started; default: this one
   * @throws after a minute
   */
  start(env?: Readonly<Record<string, string>>, root?: string): Promise<void>;
  /** From now on programs dial this base URL instead of the place. @returns ends that */
  reachThrough(url: string): () => void;
  /** SIGSTOP. @returns SIGCONT; calling it again does nothing */
  freeze(): Promise<() => Promise<void>>;
}

/** Whether the instance ran, was reachable and had its Redis all the time between (history's clock). */
export function wellThroughout(instance: Instance, from: number, to: number): boolean {
  return instance.running.throughout(from, to) && instance.reachable.throughout(from, to) && instance.served.throughout(from, to);
}
