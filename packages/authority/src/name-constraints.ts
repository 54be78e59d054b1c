/** What the authority may certify (RFC 5280, 4.2.1.10): a phone that trusts it trusts it for names and addresses of a home network alone. */
import { Extension } from '@peculiar/x509';

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

const sequence = 0x30;
const permittedSubtrees = 0xa0;
const dnsName = 0x82;
const ipAddress = 0x87;

/** Not critical: Mbed TLS, which robots have, knows no such constraint and refuses an authority with a critical one (Mbed-TLS/mbedtls issue 8759). */
export function nameConstraints(): Extension {
  const names = permittedNames.map((name) => der(sequence, der(dnsName, [...Buffer.from(name, 'ascii')])));
  const addresses = permittedAddresses.map(([address, bits]) => der(sequence, der(ipAddress, [...address, ...mask(address.length, bits)])));
  return new Extension('2.5.29.30', false, new Uint8Array(der(sequence, der(permittedSubtrees, [...names, ...addresses].flat()))));
}

function mask(length: number, bits: number): number[] {
  return Array.from({ length }, (_, at) => 0xff & (0xff << (8 - Math.max(0, Math.min(8, bits - 8 * at)))));
}

function der(tag: number, content: readonly number[]): number[] {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return [tag, ...size, ...content];
}
