/** Addresses that reach the services of `npm start`: this machine alone or, with --lan, its local network. */
import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import { renderUnicodeCompact } from 'uqr';

export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Bridges of containers and virtual machines, and tunnels: phones and robots do not reach them. */
const virtual = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|podman|cni|tun|tap|utun|wg|tailscale|zt)/;
const ranges = [/^192\.168\./, /^10\./, /^172\.(?:1[6-9]|2\d|3[01])\./];

/**
 * Returns the address at which other devices of the local network reach this machine.
 * @param given of `--lan-address` @throws an Error with a sentence for the user
 */
export function lanAddress(given: string | null, interfaces: Interfaces = networkInterfaces()): string {
  const found = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.filter(({ family }) => family === 'IPv4').map(({ address, internal }) => ({ name, address, internal })),
  );
  if (given !== null) {
    if (found.some(({ address }) => address === given)) return given;
    throw new Error(`--lan-address ${given}: this machine has no such IPv4 address; it has ${found.map(({ address }) => address).join(', ')}`);
  }
  const [best] = found
    .filter(({ internal, address }) => !internal && !address.startsWith('169.254.'))
    .toSorted((one, other) => rank(one) - rank(other));
  if (best === undefined) throw new Error('--lan: this machine has no IPv4 address in a local network');
  return best.address;
}

/** Private addresses of real interfaces first. */
function rank({ name, address }: { name: string; address: string }): number {
  const range = ranges.findIndex((pattern) => pattern.test(address));
  return (virtual.test(name) ? 10 : 0) + (range === -1 ? ranges.length : range);
}

/**
 * Lets a webhook be tried with a receiver on this machine, unless the settings say that others reach the gateways: with webhooks, they would reach what
 * only this machine is meant to.
 */
export function loopbackEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOpen = !isLoopback(env['PERCH_GATEWAY_HOST'] || '127.0.0.1') || Boolean(env['PERCH_PUBLIC_URL'] || env['PERCH_TRUST_PROXY']);
  return isOpen ? env : { ...env, PERCH_WEBHOOK_ALLOW_PRIVATE: env['PERCH_WEBHOOK_ALLOW_PRIVATE'] || 'true' };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Lets the services listen on loopback alone and trust one proxy, that of `--lan`, and the operator's in front of it. Nobody in the network makes an
 * account without an invitation, unless PERCH_SIGN_UP is set.
 */
export function lanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const loopback = '127.0.0.1';
  const proxies = String(Number(env['PERCH_TRUST_PROXY'] || 0) + 1);
  return { PERCH_SIGN_UP: 'invitation', ...env, PERCH_GATEWAY_HOST: loopback, PERCH_LINK_HOST: loopback, PERCH_TRUST_PROXY: proxies };
}

export interface LanAnnouncement {
  signInUrl: string;
  /** `wss://…` by the name that stays. */
  robotUrl: string;
  caUrl: string;
  fingerprint: string;
}

export function lanText({ signInUrl, robotUrl, caUrl, fingerprint }: LanAnnouncement): string {
  const isEncrypted = signInUrl.startsWith('https:');
  const page = isEncrypted
    ? `The page is encrypted: a phone has to trust the authority of this machine first, once (docs/operate/lan.md): ${caUrl}`
    : 'Everyone in this network can read what the page, programs and their keys send: without --https only robots are encrypted.';
  return `
Everyone in this network can reach Perch. ${page}

A robot is installed with   ${robotUrl}
its authority               ${caUrl}
SHA-256                     ${fingerprint}

A phone opens the page with this code, signed in (once, within an hour):

${renderUnicodeCompact(signInUrl, { ecc: 'L', border: 2 })}
`;
}
