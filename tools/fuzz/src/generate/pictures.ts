/** Small, so that rejecting them is most of the work. */
import { pngOf, pngSignature } from '@perch/testkit';
import { deflateSync } from 'node:zlib';
import type { Probe } from './probe.js';

function pixels(w: number, h: number): Buffer {
  return deflateSync(Buffer.alloc((w * 3 + 1) * h));
}

const whole = pngOf(4, 2, pixels(4, 2));
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z',
  'base64',
);

const probe = (what: string, bytes: Buffer): Probe => ({ what: `picture: ${what}`, value: bytes.toString('base64') });

export const goodPictures: readonly Probe[] = [
  probe('a PNG', whole),
  { what: 'picture: behind data:', value: `data:image/png;base64,${whole.toString('base64')}` },
  { what: 'picture: in lines', value: whole.toString('base64').replace(/(.{20})/g, '$1\r\n') },
  { what: 'picture: base64url without padding', value: whole.toString('base64url') },
  probe('4096 wide', pngOf(4096, 1, pixels(4096, 1))),
];

export const brokenPictures: readonly Probe[] = [
  { what: 'picture: empty', value: '' },
  { what: 'picture: no base64', value: 'not base64!' },
  { what: 'picture: half of base64', value: 'A' },
  { what: 'picture: an unknown id', value: 'p-00000000000000000000' },
  { what: 'picture: an id in capitals', value: 'P-00000000000000000000' },
  // Refused before anything is fetched: they lead to this machine or its network, or could not lead anywhere.
  ...[
    'http://example.com/x.png',
    'https://127.0.0.1/x.png',
    'https://127.1:8443/x.png',
    'https://[::1]/x.png',
    'https://[::ffff:127.0.0.1]/x.png',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/x.png',
    'https://user:pass@example.com/x.png',
    'https://example.com:6379/x.png',
    'https://',
    'https://[',
    'HTTPS://127.0.0.1/',
    'file:///etc/passwd',
    `https://example.com/${'x'.repeat(3000)}`,
  ].map((value) => ({ what: `picture: the address ${value.slice(0, 60)}`, value })),
  { what: 'picture: data: without data', value: 'data:image/png;base64,' },
  { what: 'picture: too long', value: 'A'.repeat(1_600_004) },
  { what: 'picture: NUL', value: '\u0000\u0000\u0000\u0000' },
  { what: 'picture: surrogates', value: '\ud800\udfff' },
  probe('a GIF', Buffer.from('R0lGODlhAQABAAAAACw=', 'base64')),
  probe('a WebP', Buffer.from('RIFF\u0010\u0000\u0000\u0000WEBPVP8 ', 'latin1')),
  probe('an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
  probe("a PNG's signature alone", pngSignature),
  probe('a PNG cut in its header', whole.subarray(0, 20)),
  probe('a PNG cut in its pixels', whole.subarray(0, -20)),
  probe('a PNG without an end', whole.subarray(0, -12)),
  probe('a PNG of no pixels', pngOf(0, 0, pixels(1, 1))),
  probe('a PNG with a wrong checksum', flipped(whole, 30)),
  probe('a PNG with broken pixels', pngOf(4, 2, flipped(pixels(4, 2), 6))),
  probe('a PNG with too few pixels', pngOf(64, 64, pixels(4, 2))),
  probe('a PNG of 4097', pngOf(4097, 1, pixels(4097, 1))),
  probe('a PNG of 2^31', pngOf(0x7fff_ffff, 0x7fff_ffff, pixels(1, 1))),
  probe('a PNG of 2^32 - 1', pngOf(0xffff_ffff, 1, pixels(1, 1))),
  probe('a PNG of depth 3', pngOf(4, 2, pixels(4, 2), { depth: 3 })),
  probe('a PNG of colour type 7', pngOf(4, 2, pixels(4, 2), { color: 7 })),
  probe('a PNG of a palette without one', pngOf(4, 2, pixels(4, 2), { color: 3 })),
  probe('a PNG with a chunk of 4 GB', pngOf(4, 2, pixels(4, 2), { before: [Buffer.of(0xff, 0xff, 0xff, 0xff, 0x74, 0x45, 0x58, 0x74)] })),
  probe('a PNG that unpacks to 40 MB', pngOf(1024, 1024, deflateSync(Buffer.alloc(40_000_000)))),
  probe('a JPEG cut in half', jpeg.subarray(0, jpeg.length / 2)),
  probe('a JPEG of markers', Buffer.from('ffd8ffffffffffd9', 'hex')),
  probe('a JPEG of 65,535', patched(jpeg, 0xc0, 0xffff)),
  probe('a JPEG of no pixels', patched(jpeg, 0xc0, 0)),
];

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 0xff;
  return copy;
}

function patched(bytes: Buffer, marker: number, endpoint: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(Buffer.of(0xff, marker));
  if (at === -1) return copy.subarray(0, 4);
  copy.writeUInt16BE(endpoint, at + 5);
  copy.writeUInt16BE(endpoint, at + 7);
  return copy;
}

const good = new Set(goodPictures.map(({ value }) => value));
const broken = new Set(brokenPictures.map(({ value }) => value));

export function pictureVerdict(text: unknown): 'good' | 'broken' | 'unknown' {
  if (good.has(text)) return 'good';
  return broken.has(text) ? 'broken' : 'unknown';
}
