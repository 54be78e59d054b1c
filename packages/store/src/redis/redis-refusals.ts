import { connect } from 'node:tls';
import type { RedisAddress } from './redis-address.js';
import { tlsOptions, type RedisTls } from './connection-factory.js';
import { refusalOf } from './refused.js';

/** Codes of Node.js for a certificate that no trusted authority signed. */
const unknownAuthority =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)$/;

const probeMs = 2000;
/** A server that requires a client certificate closes the connection only after the client's side of the handshake. */
const refusedWithinMs = 300;

export async function connectionProblem(error: Error, address: RedisAddress, tls: RedisTls): Promise<string> {
  if (address.isTls) {
    const refused = await handshakeProblem(address, tls);
    if (refused !== null) return refused;
  }
  const { message } = error;
  if (refusalOf(error) === 'maxclients') return `${message}. Raise its maxclients: docs/operate/size.md says how many connections Perch opens`;
  if (address.kind === 'sentinel' && /^All sentinels are unreachable(?!.*Last error: (?!ERR No such master))/.test(message))
    return `no Sentinel that answers knows a master named ${address.master}`;
  return message;
}

/** ioredis does not report why a handshake failed on a Cluster. */
async function handshakeProblem(address: RedisAddress, tls: RedisTls): Promise<string | null> {
  const error = await handshakeError(address, tls);
  if (error === null) return null;
  const { code = '', message } = error;
  if (unknownAuthority.test(code))
    return `its certificate is not signed by an authority that is trusted here (${message}): name the authority's certificate file in PERCH_REDIS_CA_FILE`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for other names: ${message}`;
  if (!tls.cert && /^(?:ECONNRESET|EPIPE|ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED|ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE)$/.test(code))
    return `it closes TLS connections without a client certificate (${message}): name one in PERCH_REDIS_CERT_FILE and PERCH_REDIS_KEY_FILE, unless Redis has reached its maxclients`;
  return null;
}

function handshakeError({ nodes, url }: RedisAddress, tls: RedisTls): Promise<NodeJS.ErrnoException | null> {
  const { hostname, port } = new URL(url.replace(/,.*$/, ''));
  const target = nodes[0] ?? { host: hostname, port: Number(port || 6379) };
  return new Promise((resolve) => {
    const socket = connect({ ...target, ...tlsOptions(tls) });
    const settle = (error: NodeJS.ErrnoException | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(error);
    };
    let timer = setTimeout(() => settle(null), probeMs);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      timer = setTimeout(() => settle(null), refusedWithinMs);
    });
    socket.on('error', settle);
    socket.once('close', () => settle(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })));
  });
}
