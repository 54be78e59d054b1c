/** A gateway that serves the console: by http with open sign-up, or by https under its own host name with sign-up by invitation. */
import type { ServiceProcess } from '@perch/launcher';
import type { TestSystem } from '../test-system.js';

export interface ConsoleEndpoint {
  port: number;
  /** Host header, including the port if it has one. */
  host: string;
  origin: string;
  cookie: string;
  byInvitation: boolean;
}

const publicHost = 'perch.example';

export function httpEndpoint({ gateway }: Pick<TestSystem, 'gateway'>): ConsoleEndpoint {
  const { host, port } = new URL(gateway.address);
  return { port: Number(port), host, origin: `http://${host}`, cookie: 'perch_session', byInvitation: false };
}

/** Returns the https gateway, started on first use; it stops with the system. */
export async function httpsEndpoint({ cluster }: Pick<TestSystem, 'cluster'>): Promise<ConsoleEndpoint> {
  const gateway: ServiceProcess =
    cluster.gateways[1] ?? (await cluster.add('gateway', { PERCH_PUBLIC_URL: `https://${publicHost}`, PERCH_SIGN_UP: 'invitation' }));
  return {
    port: Number(new URL(gateway.address).port),
    host: publicHost,
    origin: `https://${publicHost}`,
    cookie: '__Host-perch',
    byInvitation: true,
  };
}

export function isSecure({ origin }: ConsoleEndpoint): boolean {
  return origin.startsWith('https:');
}
