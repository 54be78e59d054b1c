/** A gateway as the page meets it: by http where everybody may sign up, or behind a name of its own by https, where who is invited may. */
import type { ServiceProcess } from '@perch/launcher';
import type { Stage } from '../stage.js';

export interface Side {
  /** Where it listens. */
  port: number;
  /** As requests name it, with its port where there is one. */
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

/** A gateway of its own, started when it is asked for first; it ends with the stage. */
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
