/** Certificates for tests of TLS on 127.0.0.1, by openssl in a temporary folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { skipTest } from '../skip-test.js';

interface KeyPair {
  certificate: string;
  key: string;
}

/** Paths of files in PEM form. */
export interface TestCertificates {
  ca: string;
  /** For a server on 127.0.0.1. */
  server: KeyPair;
  /** For a server on 127.0.0.1, with a validity that has ended in 2020, and one that begins in 2040. */
  expired: KeyPair;
  future: KeyPair;
  client: KeyPair;
  /** Another CA, which signed none of these certificates. */
  otherCa: string;
  remove(): void;
}

const onLoopback = 'subjectAltName=IP:127.0.0.1\n';
/** Only `openssl ca` takes dates; it keeps its files in the current folder. */
const authoritySettings = `[ca]
default_ca = own
[own]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
[any]
commonName = supplied
`;

export function needsOpenssl(context: Context): void {
  if (spawnSync('openssl', ['version']).status !== 0) skipTest(context, 'it needs openssl on PATH to make certificates');
}

/** @param days validity from now */
export function testCertificates(days = 2): TestCertificates {
  const folder = mkdtempSync(join(tmpdir(), 'perch-certificates-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe', cwd: folder });
  const newKey = (name: string): string[] => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at(`${name}.key`)];
  const authority = (name: string): string => {
    openssl('req', '-x509', ...newKey(name), '-out', at(`${name}.pem`), '-subj', `/CN=${name}`, '-days', String(days));
    return at(`${name}.pem`);
  };
  const signed = (name: string, extensions: string, dates?: [from: string, to: string]): KeyPair => {
    writeFileSync(at(`${name}.ext`), extensions);
    openssl('req', ...newKey(name), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`);
    const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
    const [input, output] = [at(`${name}.csr`), at(`${name}.pem`)];
    const options = ['-in', input, '-out', output, '-extfile', at(`${name}.ext`)];
    if (dates === undefined) openssl('x509', '-req', ...signer, '-days', String(days), ...options);
    else {
      writeFileSync(at('index'), '');
      writeFileSync(at('serial'), '01');
      writeFileSync(at('authority.conf'), authoritySettings);
      const [from, to] = dates;
      const key = ['-cert', at('ca.pem'), '-keyfile', at('ca.key')];
      openssl('ca', '-batch', '-notext', '-config', at('authority.conf'), ...key, '-startdate', from, '-enddate', to, ...options);
    }
    return { certificate: at(`${name}.pem`), key: at(`${name}.key`) };
  };
  const ca = authority('ca');
  return {
    ca,
    server: signed('server', onLoopback),
    expired: signed('expired', onLoopback, ['20190101000000Z', '20200101000000Z']),
    future: signed('future', onLoopback, ['20400101000000Z', '20410101000000Z']),
    client: signed('client', 'extendedKeyUsage=clientAuth\n'),
    otherCa: authority('other'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
