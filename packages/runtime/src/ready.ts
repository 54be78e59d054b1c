/** Tells the world that a service is up: its launcher through the IPC channel, people through the log. */
import type { Logger } from './log.js';

export interface ReadyInfo {
  /** `gateway`, `robot-link`, `renderer`, `webhooks`. */
  service: string;
  instance: string;
  /** Where it is reached, if it listens: `http://127.0.0.1:8080`, `ws://127.0.0.1:8081/robot/v1/link`. */
  address?: string;
  /** `http://host:port` of its admin server. */
  admin: string;
}

/** What a parent that forked the service gets. */
export type ReadyMessage = { ready: true } & ReadyInfo;

export function announceReady(info: ReadyInfo, log?: Logger): void {
  const message: ReadyMessage = { ready: true, ...info };
  log?.info({ address: info.address, admin: info.admin }, 'ready');
  // A parent that left between fork and now is the lifecycle's matter, which sees the same channel close.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
