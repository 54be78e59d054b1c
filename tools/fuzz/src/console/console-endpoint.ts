/** A gateway that serves the console: by http with open sign-up, or by https under its own host name with sign-up by invitation. */
import type { ServiceProcess } from '@perch/launcher';
import type { FuzzSystem } from '../fuzz-system.js';

export interface ConsoleEndpoint {
  port: number;
  host: string;
  origin: string;
  cookie: string;
  byInvitation: boolean;
}

const publicHost = 'perch.example';

export function httpEndpoint(system: Pick<FuzzSystem, 'gateway'>): ConsoleEndpoint {
  const { host, port } = new URL(system.gateway());
  return { port: Number(port), host, origin: `http://${host}`, cookie: 'perch_session', byInvitation: false };
}

/** Started on first use; it stops with the system. */
export async function httpsEndpoint({ cluster }: Pick<FuzzSystem, 'cluster'>): Promise<ConsoleEndpoint> {
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
