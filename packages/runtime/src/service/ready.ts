/** Announces that a service is ready: to its launcher over the IPC channel, and in the log. */
import type { Logger } from '../log.js';

export interface ReadyInfo {
  service: string;
  instance: string;
  /** Address of the service, if it listens: `http://127.0.0.1:8080`, `ws://127.0.0.1:8081/robot/v1/link`. */
  address?: string;
  admin: string;
}

export type ReadyMessage = { ready: true } & ReadyInfo;

export function announceReady(info: ReadyInfo, log?: Logger): void {
  const message: ReadyMessage = { ready: true, ...info };
  log?.info({ address: info.address, admin: info.admin }, 'ready');
  // The error is ignored: if the parent disconnected meanwhile, the lifecycle handles the closed channel.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
