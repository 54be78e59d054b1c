import { createHash, webcrypto } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
// @peculiar/x509 needs it, and does not load it.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

/** Names and addresses at which a server is reached. */
export interface Names {
  dns: readonly string[];
  addresses: readonly string[];
}

/** In PEM, as Node's TLS takes it: the certificate of the server and that of the authority, and the key of the former. */
export interface Certificate {
  cert: string;
  key: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const fileName = 'authority.pem';
/**
 * A robot checks certificates by a clock that may not be set yet, or that its firmware takes for 30 years later (docs/stackchan.md), and it has nobody who
 * would renew what it trusts.
 */
const always = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('9999-12-31T23:59:59Z') };
const dayMs = 86_400_000;
/** Apple's browsers refuse certificates of servers that are valid for more than 825 days, those of private authorities, too. */
const pageDays = 397;

type Key = webcrypto.CryptoKey;

export class Authority {
  /** The authority's certificate in PEM, which robots and browsers trust. */
  readonly pem: string;
  readonly #certificate: x509.X509Certificate;
  readonly #key: Key;

  /**
   * Reads the authority of `folder`, or makes it. Its key lies beside its certificate in one file that only its owner may read.
   * @throws {Error} the file is there and cannot be read: another authority would lose all robots that trust this one
   */
  static async open(folder: string): Promise<Authority> {
    const path = join(folder, fileName);
    if (!isThere(path)) await make(folder, path);
    try {
      const [certificate, key] = x509.PemConverter.decodeWithHeaders(readFileSync(path, 'utf8'));
      return new Authority(new x509.X509Certificate(certificate!.rawData), await importKey(key!.rawData));
    } catch (error) {
      throw new Error(`${path} is no authority (${(error as Error).message}): restore it, or remove it and install all robots again`, {
        cause: error,
      });
    }
  }

  private constructor(certificate: x509.X509Certificate, key: Key) {
    this.#certificate = certificate;
    this.#key = key;
    this.pem = `${certificate.toString('pem')}\n`;
  }

  /** SHA-256 of the certificate, as browsers and phones show it. */
  get fingerprint(): string {
    return createHash('sha256')
      .update(Buffer.from(this.#certificate.rawData))
      .digest('hex')
      .toUpperCase()
      .replace(/(..)(?=.)/g, '$1:');
  }

  /** A name of mDNS that no other installation has: `perch-1a2b3c.local`. */
  get localName(): string {
    return `perch-${createHash('sha256').update(Buffer.from(this.#certificate.publicKey.rawData)).digest('hex').slice(0, 6)}.local`;
  }

  /** For the link of robots: it never expires. */
  forLink(names: Names): Promise<Certificate> {
    return this.#certify(names, always);
  }

  /** For browsers: renew it before `pageDays` have passed. */
  forPage(names: Names, now = Date.now()): Promise<Certificate> {
    return this.#certify(names, { notBefore: new Date(now - dayMs), notAfter: new Date(now + (pageDays - 1) * dayMs) });
  }

  async #certify({ dns, addresses }: Names, validity: typeof always): Promise<Certificate> {
    const keys = await newKeys();
    const names = [...dns.map((value) => ({ type: 'dns' as const, value })), ...addresses.map((value) => ({ type: 'ip' as const, value }))];
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: [{ CN: ['Perch'] }],
      issuer: this.#certificate.subject,
      ...validity,
      publicKey: keys.publicKey,
      signingKey: this.#key,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.SubjectAlternativeNameExtension(names),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        await x509.AuthorityKeyIdentifierExtension.create(this.#certificate.publicKey),
      ],
    });
    return { cert: `${certificate.toString('pem')}\n${this.pem}`, key: await pemOfKey(keys.privateKey) };
  }
}

/** Two starts at a time leave one authority: that of the first. */
async function make(folder: string, path: string): Promise<void> {
  const keys = await newKeys();
  const name = [{ CN: [`Perch authority ${serialNumber().slice(2, 8)}`] }];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: name,
    issuer: name,
    ...always,
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      nameConstraints(),
    ],
  });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${certificate.toString('pem')}\n${await pemOfKey(keys.privateKey)}`, { mode: 0o600 });
  try {
    linkSync(next, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(next);
  }
}

function isThere(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function importKey(raw: ArrayBuffer): Promise<Key> {
  return webcrypto.subtle.importKey('pkcs8', raw, algorithm, false, ['sign']);
}

async function pemOfKey(key: Key): Promise<string> {
  const raw = await webcrypto.subtle.exportKey('pkcs8', key);
  return `${x509.PemConverter.encode(raw, 'PRIVATE KEY')}\n`;
}

/** A positive number of 16 bytes. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0]! & 0x3f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

/** Names that no public authority certifies, with all that ends in them. */
const permittedNames = ['local', 'localhost', 'lan', 'home', 'internal', 'home.arpa', 'fritz.box'];
/** Private, loopback and link-local addresses, and those of carriers and overlay networks: address and mask. */
const permittedAddresses = [
  [[10, 0, 0, 0], 8],
  [[172, 16, 0, 0], 12],
  [[192, 168, 0, 0], 16],
  [[100, 64, 0, 0], 10],
  [[169, 254, 0, 0], 16],
  [[127, 0, 0, 0], 8],
  [[0xfc, ...Array.from({ length: 15 }, () => 0)], 7],
  [[0xfe, 0x80, ...Array.from({ length: 14 }, () => 0)], 10],
  [[...Array.from({ length: 15 }, () => 0), 1], 128],
] as const;

/** Returns whether the authority may certify a host. A browser refuses a certificate that names one other host. */
export function mayCertify(host: string): boolean {
  const version = isIP(host);
  if (version !== 0) return permittedList().check(host, version === 4 ? 'ipv4' : 'ipv6');
  return permittedNames.some((name) => host === name || host.endsWith(`.${name}`));
}

function permittedList(): BlockList {
  const list = new BlockList();
  for (const [address, bits] of permittedAddresses) {
    if (address.length === 4) list.addSubnet(address.join('.'), bits, 'ipv4');
    else
      list.addSubnet(
        Buffer.from(address)
          .toString('hex')
          .replace(/(....)(?=.)/g, '$1:'),
        bits,
        'ipv6',
      );
  }
  return list;
}

const sequence = 0x30;
const permittedSubtrees = 0xa0;
const dnsName = 0x82;
const ipAddress = 0x87;

/**
 * Limits the authority to names and addresses of a home network (RFC 5280, 4.2.1.10), so that a phone that trusts it trusts it for these alone. Not critical:
 * Mbed TLS, which robots have, knows no such constraint and refuses an authority with a critical one (Mbed-TLS/mbedtls issue 8759).
 */
function nameConstraints(): x509.Extension {
  const names = permittedNames.map((name) => der(sequence, der(dnsName, [...Buffer.from(name, 'ascii')])));
  const addresses = permittedAddresses.map(([address, bits]) => der(sequence, der(ipAddress, [...address, ...mask(address.length, bits)])));
  return new x509.Extension('2.5.29.30', false, new Uint8Array(der(sequence, der(permittedSubtrees, [...names, ...addresses].flat()))));
}

function mask(length: number, bits: number): number[] {
  return Array.from({ length }, (_, at) => 0xff & (0xff << (8 - Math.max(0, Math.min(8, bits - 8 * at)))));
}

function der(tag: number, content: readonly number[]): number[] {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return [tag, ...size, ...content];
}
