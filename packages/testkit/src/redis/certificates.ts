/** Certificates for tests of TLS on 127.0.0.1, by openssl in a temporary folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'mocha';
import { skipTest } from '../skip-test.js';

/** Paths of files in PEM form. */
export interface TestCertificates {
  ca: string;
  /** For a server on 127.0.0.1. */
  server: { certificate: string; key: string };
  client: { certificate: string; key: string };
  /** Another CA, which signed none of these certificates. */
  otherCa: string;
  remove(): void;
}

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
  const signed = (name: string, extensions: string): { certificate: string; key: string } => {
    writeFileSync(at(`${name}.ext`), extensions);
    openssl('req', ...newKey(name), '-out', at(`${name}.csr`), '-subj', `/CN=${name}`);
    const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
    openssl('x509', '-req', '-in', at(`${name}.csr`), ...signer, '-out', at(`${name}.pem`), '-days', String(days), '-extfile', at(`${name}.ext`));
    return { certificate: at(`${name}.pem`), key: at(`${name}.key`) };
  };
  const ca = authority('ca');
  return {
    ca,
    server: signed('server', 'subjectAltName=IP:127.0.0.1\n'),
    client: signed('client', 'extendedKeyUsage=clientAuth\n'),
    otherCa: authority('other'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
