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

/** Starts a gateway of its own, which the caller stops. */
export async function httpsSide({ cluster }: Pick<Stage, 'cluster'>): Promise<{ side: Side; gateway: ServiceProcess }> {
  const gateway = await cluster.add('gateway', { PERCH_PUBLIC_URL: `https://${publicHost}`, PERCH_SIGN_UP: 'invitation' });
  const side = {
    port: Number(new URL(gateway.address).port),
    host: publicHost,
    origin: `https://${publicHost}`,
    cookie: '__Host-perch',
    byInvitation: true,
  };
  return { side, gateway };
}

export function isSecure({ origin }: Side): boolean {
  return origin.startsWith('https:');
}
