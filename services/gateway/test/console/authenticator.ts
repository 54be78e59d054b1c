/** Authenticator in software with one passkey: ES256, no attestation. Tests make it send what an honest one does not. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Deviation {
  origin?: string;
  rpId?: string;
  /** base64url, as in the client data. */
  challenge?: string;
  userVerified?: boolean;
  /** null: none. */
  userHandle?: string | null;
  counter?: number;
}

/** Parts of the options of both ceremonies. */
export interface CeremonyOptions {
  challenge: string;
  /** For a new passkey. */
  rp?: { id: string };
  user?: { id: string };
  /** For a sign-in. */
  rpId?: string;
}

const flags = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 };

export class Authenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly credential: Buffer;
  /** 0: it does not count. */
  counter: number;
  #userHandle = '';

  constructor({ credential = randomBytes(16), counter = 1 }: { credential?: Buffer; counter?: number } = {}) {
    this.credential = credential;
    this.counter = counter;
  }

  get id(): string {
    return this.credential.toString('base64url');
  }

  /** As `navigator.credentials.create()`. */
  create(options: CeremonyOptions, origin: string, change: Deviation & { attestation?: Map<unknown, unknown>; format?: string } = {}): object {
    this.#userHandle = options.user!.id;
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = new Map<unknown, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ]);
    const length = Buffer.from([this.credential.length >> 8, this.credential.length & 255]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.credential, cbor(key)]);
    const authenticatorData = Buffer.concat([this.#data(change.rpId ?? options.rp!.id, change, flags.attested), attested]);
    const { format = 'none', attestation = new Map() } = change;
    const object = new Map<unknown, unknown>([
      ['fmt', format],
      ['attStmt', attestation],
      ['authData', authenticatorData],
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options, origin, change).toString('base64url'),
        attestationObject: cbor(object).toString('base64url'),
        transports: ['internal', 'of-a-later-browser'],
      },
    };
  }

  /** As `navigator.credentials.get()`. Counts. */
  get(options: CeremonyOptions, origin: string, change: Deviation = {}): object {
    this.counter = change.counter ?? (this.counter === 0 ? 0 : this.counter + 1);
    const authenticatorData = this.#data(change.rpId ?? options.rpId!, change, 0);
    const clientData = this.#clientData('webauthn.get', options, origin, change);
    const signed = Buffer.concat([authenticatorData, sha256(clientData)]);
    const { userHandle = this.#userHandle } = change;
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
        ...(userHandle === null ? {} : { userHandle }),
      },
    };
  }

  #data(rpId: string, { userVerified = true }: Deviation, more: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags.userPresent | (userVerified ? flags.userVerified : 0) | more]), counter]);
  }

  #clientData(type: string, options: CeremonyOptions, origin: string, change: Deviation): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge: change.challenge ?? options.challenge, origin: change.origin ?? origin, crossOrigin: false }),
    );
  }
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Only what an attestation object has. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([cborHead(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) return Buffer.concat([cborHead(5, value.size), ...[...value].flat().map(cbor)]);
  throw new Error(`no CBOR for ${String(value)}`);
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  return length < 256 ? Buffer.from([(major << 5) | 24, length]) : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
