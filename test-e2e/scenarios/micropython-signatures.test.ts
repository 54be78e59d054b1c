/** Ed25519 of the robot program, in MicroPython's WebAssembly build: held against the vectors of others, and against Node's SHA-512. */
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { publicKeyOf, signUpdate, type SigningOptions } from '@perch/installer/node';
import { runWasmProgram, wasmEmptyFolder, wasmRobotFolder } from '@perch/testkit';

const program = fileURLToPath(new URL('../programs/signatures/checks.py', import.meta.url));
const offers = fileURLToPath(new URL('../programs/signatures/offers.py', import.meta.url));
const power = fileURLToPath(new URL('../programs/signatures/power.py', import.meta.url));
const robot = fileURLToPath(new URL('../../robots/micropython', import.meta.url));
const wycheproof = JSON.parse(readFileSync(new URL('../programs/signatures/wycheproof-ed25519.json', import.meta.url), 'utf8')) as {
  vectors: [number: number, result: 'valid' | 'invalid', key: string, message: string, signature: string, comment: string][];
};

type Verified = [name: number | string, key: string, message: string, signature: string, expected: boolean];

const sha512 = (bytes: Uint8Array): string => createHash('sha512').update(bytes).digest('hex');

/** RFC 8032, 7.1. Its message of 1,023 bytes is Wycheproof's number 83. */
const rfc8032: Verified[] = [
  [
    'TEST 1',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    true,
  ],
  [
    'TEST 2',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    true,
  ],
  [
    'TEST 3',
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    true,
  ],
  [
    'TEST SHA(abc)',
    'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    sha512(Buffer.from('abc')),
    'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
    true,
  ],
];

/** With R and S of nothing, a key of small order has a signature on every message, or on every second to eighth. */
const smallOrder: Verified[] = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
].flatMap((key) => Array.from({ length: 8 }, (_, at): Verified => [`${key} ${at}`, key, `0${at}`, `01${'00'.repeat(63)}`, false]));

async function check(cases: { sha512: string[]; verify: Verified[] }): Promise<{ wrong: string[]; turns: number }> {
  return JSON.parse(await runWasmProgram(program, { robot, args: [wasmRobotFolder, JSON.stringify(cases)] })) as { wrong: string[]; turns: number };
}

describe('signatures in the robot program', () => {
  it('makes the digests of SHA-512 that Node makes, of messages that end anywhere in a block', async () => {
    const digests = Array.from({ length: 140 }, (_, size) => sha512(Buffer.alloc(size, size)));
    assert.deepEqual((await check({ sha512: digests, verify: [] })).wrong, []);
  });

  it('accepts the signatures of RFC 8032, and lets the loop run at least every fourth doubling', async () => {
    const { wrong, turns } = await check({ sha512: [], verify: rfc8032 });
    assert.deepEqual(wrong, []);
    assert.ok(turns >= 64, `${turns} turns of the loop`);
  });

  it('refuses every signature by a key of small order', async () => {
    assert.deepEqual((await check({ sha512: [], verify: smallOrder })).wrong, []);
  });

  for (const result of ['invalid', 'valid'] as const) {
    const chosen = wycheproof.vectors.filter((vector) => vector[1] === result);
    it(`finds ${result} what Wycheproof says is ${result}, in ${chosen.length} signatures`, async () => {
      assert.ok(chosen.length > 60);
      const verify = chosen.map(([number, , key, message, signature]): Verified => [number, key, message, signature, result === 'valid']);
      assert.deepEqual((await check({ sha512: [], verify })).wrong, []);
    });
  }

  it('decides on the offers of a service by what is signed alone', async () => {
    const [own, other] = [generateKeyPairSync('ed25519').privateKey, generateKeyPairSync('ed25519').privateKey];
    const keys = [publicKeyOf(own)];
    const offer = (options: SigningOptions = {}, by = own) => {
      const { version, lowest, highest, sha256, key, signature } = signUpdate(by, { version: '0.10', ...options });
      return { version, lowest, highest, sha256, key, signature };
    };
    const [right, older] = [offer(), offer({ version: '0.9' })];
    const cases: [title: string, offer: object, current: string, keys: string[], expected: string | null][] = [
      ['signed', right, '0.4', keys, null],
      ['signed, of the same version', right, '0.10', keys, null],
      ['signed by the second key of the robot', offer({}, other), '0.4', [...keys, publicKeyOf(other)], null],
      ['unsigned, for a robot without keys', { version: '0.10', sha256: right.sha256 }, '0.4', [], null],
      ['unsigned', { version: '0.10', sha256: right.sha256 }, '0.4', keys, 'unsigned'],
      ['without a signature', { ...right, signature: undefined }, '0.4', keys, 'unsigned'],
      ['with an empty signature', { ...right, signature: '' }, '0.4', keys, 'unsigned'],
      ['without a key', { ...right, key: undefined }, '0.4', keys, 'unsigned'],
      ['by a foreign key', offer({}, other), '0.4', keys, 'foreign'],
      ['by a foreign key under the name of a known one', { ...offer({}, other), key: keys[0] }, '0.4', keys, 'changed'],
      ['with a key in capitals', { ...right, key: keys[0]!.toUpperCase() }, '0.4', keys, 'foreign'],
      ['with the sha256 of another program', { ...right, sha256: older.sha256 }, '0.4', keys, 'changed'],
      ['with the signature of another program', { ...right, signature: older.signature }, '0.4', keys, 'changed'],
      ['an older one that claims to be newer', { ...older, version: '0.10' }, '0.9', keys, 'changed'],
      ['an older one with a wider range', { ...older, highest: '0.10' }, '0.10', keys, 'changed'],
      ['one without its range', { ...right, lowest: undefined, highest: undefined }, '0.4', keys, 'changed'],
      ['with fields that have moved', { ...right, version: '0.10\n0', lowest: '0.10', highest: right.sha256, sha256: '' }, '0.4', keys, 'changed'],
      ['with half a signature', { ...right, signature: right.signature.slice(64) }, '0.4', keys, 'changed'],
      ['lower', older, '0.10', keys, 'lower'],
      ['lower, and signed to go back', offer({ version: '0.9', highest: '0.10' }), '0.10', keys, null],
      ['lower than it may go back', offer({ version: '0.9', highest: '0.10' }), '0.10.1', keys, 'lower'],
      ['for later versions alone', offer({ lowest: '0.5' }), '0.4', keys, 'early'],
    ];
    const given = JSON.stringify(cases.map(([, one, current, known]) => [one, current, known]));
    const reasons = JSON.parse(await runWasmProgram(offers, { robot, args: [wasmRobotFolder, given] })) as (string | null)[];
    assert.deepEqual(
      cases.map(([title], at) => [title, reasons[at]]),
      cases.map(([title, , , , expected]) => [title, expected]),
    );
  });

  it('starts the whole program before or the whole new one, wherever in an update the power is cut', async () => {
    const files = [
      ['perch/robot.py', 'VERSION = "2"\n'],
      ['perch/boards/far/host.py', '# '.padEnd(2500, 'x')],
      ['perch/a.py', ''],
    ] as const;
    const data = `${JSON.stringify({ files: files.map(([path, text]) => [path, text.length]) })}\n${files.map(([, text]) => text).join('')}`;
    const sha256 = createHash('sha256').update(data).digest('hex');
    const offer = JSON.stringify({ version: '2', url: '/program', sha256, size: data.length });
    const printed = await runWasmProgram(power, { robot, args: [wasmRobotFolder, offer, data, wasmEmptyFolder] });
    const [changes, before, after] = JSON.parse(printed) as [number, number, number];
    assert.ok(changes > 15 && before > 10 && before + after === changes - 1, printed);
  });
});
