/** Tests of TLS to Redis: both sides verify certificates, and errors name the setting. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  freePort,
  needsOpenssl,
  needsRedisServer,
  redisCluster,
  redisProcess,
  skipTest,
  testCertificates,
  type LocalRedis,
  type LocalRedisCluster,
  type TestCertificates,
} from '@perch/testkit';
import { Cluster } from 'ioredis';
import { connect, type ConnectOptions } from '../src/redis/connections.js';

describe('Redis over TLS that requires a client certificate', () => {
  let certificates: TestCertificates;
  let server: LocalRedis;
  let cluster: LocalRedisCluster;
  const urls: Record<string, string> = {};
  before(async function () {
    needsRedisServer(this);
    needsOpenssl(this);
    certificates = testCertificates();
    const port = await freePort();
    const { certificate, key } = certificates.server;
    const files = { 'tls-cert-file': certificate, 'tls-key-file': key, 'tls-ca-cert-file': certificates.ca };
    server = await redisProcess({ settings: { 'tls-port': String(port), ...files, 'tls-auth-clients': 'yes' } }).catch((error: Error) => {
      if (/tls-port|Bad directive/i.test(error.message)) skipTest(this, 'its redis-server was built without TLS');
      throw error;
    });
    cluster = await redisCluster({ tls: { certificate, key, ca: certificates.ca, clients: 'yes' } });
    urls['rediss://'] = `rediss://127.0.0.1:${port}`;
    urls['rediss-cluster://'] = cluster.url;
  });
  after(async () => {
    await Promise.all([server?.stop(), cluster?.stop()]);
    certificates?.remove();
  });

  const pem = (path: string): string => readFileSync(path, 'utf8');
  const ours = (): ConnectOptions['tls'] => ({
    ca: pem(certificates.ca),
    cert: pem(certificates.client.certificate),
    key: pem(certificates.client.key),
  });
  const refusal = (url: string, tls: ConnectOptions['tls']): Promise<string> =>
    connect({ url, tls: tls ?? {}, connectTimeoutMs: 2000 }).then(
      async (redis) => {
        await redis.close();
        return 'it was accepted';
      },
      (error: Error) => error.message,
    );

  for (const scheme of ['rediss://', 'rediss-cluster://']) {
    it(`connects to ${scheme} with CA and client certificate, for commands and subscriptions`, async () => {
      const redis = await connect({ url: urls[scheme]!, tls: ours()! });
      try {
        await redis.commands.set('perch:{tls}', 'x');
        const heard = new Promise(
          (resolve) => void redis.subscriber.subscribe('perch:{tls}:inbox', resolve).then(() => redis.publish('perch:{tls}:inbox', 'y')),
        );
        assert.equal(await heard, 'y');
      } finally {
        await redis.close();
      }
    });

    it(`keeps running when a socket of ${scheme} emits a second error, as one does whose server sends an alert after its certificate was rejected`, async () => {
      const redis = await connect({ url: urls[scheme]!, tls: ours()! });
      try {
        const nodes = redis.commands instanceof Cluster ? redis.commands.nodes() : [redis.commands];
        for (const { stream } of nodes) {
          stream.emit('error', new Error('its certificate was rejected'));
          // Without a listener, emit throws the error.
          assert.doesNotThrow(() => stream.emit('error', new Error('alert')));
        }
      } finally {
        await redis.close();
      }
    });

    it(`returns when the certificates of ${scheme} expire`, async () => {
      const redis = await connect({ url: urls[scheme]!, tls: ours()! });
      try {
        const { server: ofServer, client, ca } = certificates;
        const files = { redis_ca: ca, redis_client: client.certificate, redis_server: ofServer.certificate };
        const expected = Object.entries(files).map(([name, file]) => [name, Date.parse(new X509Certificate(readFileSync(file)).validTo)]);
        assert.deepEqual(redis.vitals.certificateExpiries().toSorted(), expected);
      } finally {
        await redis.close();
      }
    });

    it(`refuses ${scheme} with a certificate of another CA, and names PERCH_REDIS_CA_FILE`, async () => {
      const sentence = await refusal(urls[scheme]!, { ...ours(), ca: pem(certificates.otherCa) });
      assert.match(sentence, /not signed by an authority that is trusted here .*PERCH_REDIS_CA_FILE/);
    });

    it(`refuses ${scheme} without a client certificate, and names PERCH_REDIS_CERT_FILE`, async () => {
      assert.match(await refusal(urls[scheme]!, { ca: pem(certificates.ca) }), /PERCH_REDIS_CERT_FILE and PERCH_REDIS_KEY_FILE/);
    });
  }

  it('refuses a certificate for another host name', async () => {
    assert.match(await refusal(urls['rediss://']!.replace('127.0.0.1', 'localhost'), ours()), /its certificate is for other names/);
  });
});
