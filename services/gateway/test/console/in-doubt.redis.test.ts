/** What follows where Redis is lost in the middle of a change: nobody stays in who has to go, and nothing is given out twice. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { StoreError, UncertainWrite } from '@perch/store';
import { Bench } from '../bench.js';
import { Browser, passphrase } from './browser.js';

const email = () => `ann.${randomUUID()}@example.org`;
const another = 'another good one';

describe('a change at the page that Redis is lost in', function () {
  this.timeout(20_000);
  let bench: Bench;
  let invitational: Bench;

  before(async () => {
    [bench, invitational] = await Promise.all([Bench.start(), Bench.start({ people: { signUp: 'invitation', oidc: null } })]);
  });
  after(() => Promise.all([bench.stop(), invitational.stop()]));

  /** Of the writes that are waited for until they are on disk, one fails: the first, or that behind so many. */
  function losesOne({ store: { connections } }: Bench, how: 'done' | 'not done', behind = 0): void {
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
    ['whether it was done is in doubt', 'done', 0],
    ['the others could not be ended at first', 'not done', 1],
  ] as const)
    it(`a password that was changed ends all other sessions, also where ${what}`, async () => {
      const address = email();
      const [owner, thief] = [new Browser(bench), new Browser(bench)];
      await owner.signUp(address);
      await thief.signIn(address);
      losesOne(bench, how, behind);
      assert.equal((await owner.ask('PUT', 'password', { current: passphrase, password: another })).status, 503);
      assert.deepEqual([await owner.signedIn(), await thief.signedIn()], [true, false]);
      assert.equal((await thief.signIn(address, another)).status, 200);
    });

  it('a password that was not changed ends nobody', async () => {
    const address = email();
    const [one, other] = [new Browser(bench), new Browser(bench)];
    await one.signUp(address);
    await other.signIn(address);
    losesOne(bench, 'not done');
    assert.equal((await one.ask('PUT', 'password', { current: passphrase, password: another })).status, 503);
    assert.equal(await other.signedIn(), true);
  });

  const signUp = (invitation: string, address = email()) =>
    new Browser(invitational).ask('POST', 'accounts', { email: address, password: passphrase, invitation });

  it('an invitation makes no second account where nobody knows whether it made one', async () => {
    const { store } = invitational;
    const invitation = await store.invitations.make('', 60_000);
    const address = email();
    // Behind the invitation's own being used up.
    losesOne(invitational, 'done', 1);
    assert.equal((await signUp(invitation, address)).status, 503);
    assert.notEqual(await store.accounts.findByEmail(address), null);
    const again = await signUp(invitation);
    assert.deepEqual([again.status, again.body.code], [403, 'sign_up_closed']);
  });

  it('why no account was made is told, also where the invitation could not be given back', async () => {
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
