import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { until } from '@perch/testkit';
import { mailAddressOf } from '../../src/mail/mail-delivery.js';
import { GatewayUnderTest } from '../gateway-under-test.js';
import { Browser, email } from './browser.js';

describe('password resets while the SMTP server fails', () => {
  const open = (smtpUrl: string): Promise<GatewayUnderTest> =>
    GatewayUnderTest.start({
      trustedProxies: 1,
      mail: { smtpUrl, from: mailAddressOf('Perch <perch@example.org>')! },
      publicUrl: 'http://perch.example',
    });
  const newBrowser = (of: GatewayUnderTest): Browser => new Browser(of, { host: 'perch.example' });
  const request = (by: Browser, address: string) => by.ask('POST', 'password-resets', { email: address });

  for (const [what, openServer] of [
    ['refuses connections', closedPort],
    ['accepts connections and is silent', silentPort],
  ] as const)
    it(`answers at once while the SMTP server ${what}, and counts the failure`, async function () {
      const server = await openServer();
      const own = await open(`smtp://127.0.0.1:${server.port}`);
      try {
        const address = email();
        await own.store.accounts.create({ email: address });
        assert.deepEqual((await request(newBrowser(own), address)).body, { ok: true });
        const outcomes = own.metrics.getSingleMetric('perch_gateway_mails_total')!;
        const count = async (outcome: string) =>
          (await outcomes.get()).values.find(({ labels }) => labels['kind'] === 'password_reset' && labels['outcome'] === outcome)?.value;
        // A silent server has 5 s, which a call that waited for it would have taken.
        if (openServer === silentPort) assert.equal(await count('failed'), 0, 'the answer came after the failure');
        await until(async () => (await count('failed')) === 1);
        assert.equal(await count('sent'), 0);
      } finally {
        await own.stop();
        server.close();
      }
    });
});

interface Port {
  port: number;
  close(): void;
}

async function silentPort(): Promise<Port> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function closedPort(): Promise<Port> {
  const { port, close } = await silentPort();
  close();
  return { port, close: () => {} };
}
