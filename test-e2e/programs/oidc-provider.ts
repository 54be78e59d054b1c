/**
 * An OpenID Connect provider on a free loopback port, as its own process. It prints its issuer, reads the client's `{"redirect_uri"}` as a line of JSON
 * from standard input, and prints `ready`. It trusts every login: the login name is subject and e-mail address, verified unless it begins with
 * `unverified`. It exits when standard input closes.
 */
import { createServer, type RequestListener } from 'node:http';
import { createInterface } from 'node:readline';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
const server = createServer((request, response) => answer(request, response));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

const input = createInterface({ input: process.stdin });
input.once('line', (line) => {
  const { redirect_uri } = JSON.parse(line) as { redirect_uri: string };
  const provider = new Provider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    clients: [
      {
        client_id: 'perch',
        client_secret: 'a secret of two',
        redirect_uris: [redirect_uri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    cookies: { keys: ['of a test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, email: id, email_verified: !id.startsWith('unverified') }) }),
  });
  answer = provider.callback() as RequestListener;
  process.stdout.write('ready\n');
});
input.once('close', () => process.exit(0));
