/** When Redis is lost during a change, sessions that must end do end, and an invitation is not used twice. */
import assert from 'node:assert/strict';
import { StoreError, UncertainWrite } from '@perch/store';
import { useGateway, type GatewayUnderTest } from '../gateway-under-test.js';
import { Browser, email, passphrase } from './browser.js';

const another = 'another good one';

describe('a change on the page during which Redis is lost', () => {
  const system = useGateway();
  const invitational = useGateway({ accountSettings: { signUp: 'invitation', oidc: null } });

  /** Makes one durable write fail. @param behind number of durable writes that succeed before it */
  function failOneWrite({ store: { connections } }: GatewayUnderTest, how: 'done' | 'not done', behind = 0): void {
    const durably = connections.durably.bind(connections);
    let left = behind;
    connections.durably = async (keys, work) => {
      if (left-- > 0) return durably(keys, work);
      connections.durably = durably;
      if (how === 'not done') throw new StoreError('unavailable', 'Redis: Connection is closed.');
      await work();
      throw new UncertainWrite('Redis: Connection is closed.');
    };
  }

  for (const [what, how, behind] of [
    ['the outcome of the write is unknown', 'done', 0],
    ['revoking them fails at first', 'not done', 1],
  ] as const)
    it(`revokes all other sessions after a password change, also if ${what}`, async () => {
      const address = email();
      const [owner, thief] = [new Browser(system), new Browser(system)];
      await owner.signUp(address);
      await thief.signIn(address);
      failOneWrite(system, how, behind);
      assert.equal((await owner.ask('PUT', 'password', { current: passphrase, password: another })).status, 503);
      assert.deepEqual([await owner.signedIn(), await thief.signedIn()], [true, false]);
      assert.equal((await thief.signIn(address, another)).status, 200);
    });

  it('keeps all sessions if the password was not changed', async () => {
    const address = email();
    const [one, other] = [new Browser(system), new Browser(system)];
    await one.signUp(address);
    await other.signIn(address);
    failOneWrite(system, 'not done');
    assert.equal((await one.ask('PUT', 'password', { current: passphrase, password: another })).status, 503);
    assert.equal(await other.signedIn(), true);
  });

  const signUp = (invitation: string, address = email()) =>
    new Browser(invitational).ask('POST', 'accounts', { email: address, password: passphrase, invitation });

  it('rejects an invitation again after a sign-up with unknown outcome', async () => {
    const { store } = invitational;
    const invitation = await store.invitations.make('', 60_000);
    const address = email();
    // The first write consumes the invitation.
    failOneWrite(invitational, 'done', 1);
    assert.equal((await signUp(invitation, address)).status, 503);
    assert.notEqual(await store.accounts.findByEmail(address), null);
    const again = await signUp(invitation);
    assert.deepEqual([again.status, again.body.code], [403, 'sign_up_closed']);
  });

  it('answers with the reason for refusing a sign-up even if the invitation cannot be restored', async () => {
    const { store } = invitational;
    const [invitation, taken] = [await store.invitations.make('', 60_000), email()];
    await store.accounts.create({ email: taken });
    const giveBack = store.invitations.giveBack.bind(store.invitations);
    store.invitations.giveBack = () => Promise.reject(new StoreError('unavailable', 'Redis: Connection is closed.'));
    try {
      const refused = await signUp(invitation, taken);
      assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    } finally {
      store.invitations.giveBack = giveBack;
    }
  });
});
