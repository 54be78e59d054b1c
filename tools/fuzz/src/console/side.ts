/** A gateway that serves the console: by http with open sign-up, or by https under its own host name with sign-up by invitation. */
import type { ServiceProcess } from '@perch/launcher';
import type { Stage } from '../stage.js';

export interface Side {
  /** Port it listens on. */
  port: number;
  /** Host header, including the port if it has one. */
  host: string;
  origin: string;
  cookie: string;
  byInvitation: boolean;
}

const publicHost = 'perch.example';

export function plainSide({ gateway }: Pick<Stage, 'gateway'>): Side {
  const { host, port } = new URL(gateway.address);
  return { port: Number(port), host, origin: `http://${host}`, cookie: 'perch_session', byInvitation: false };
}

/** Returns the https gateway, started on first use; it stops with the system. */
export async function httpsSide({ cluster }: Pick<Stage, 'cluster'>): Promise<Side> {
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

export function isSecure({ origin }: Side): boolean {
  return origin.startsWith('https:');
}
