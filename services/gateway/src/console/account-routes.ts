/** POST /console/accounts: signing up, where strangers may, and PUT /console/password. */
import { ApiError, ConsoleError } from '@perch/schema';
import { inDoubt, type Store } from '@perch/store';
import type { Entrance, SignUp } from './entrance.js';
import { Form } from './form.js';
import type { Guesses } from './guesses.js';
import type { AskedBySession, Route } from './route.js';

export interface AccountRoutesOptions {
  store: Pick<Store, 'accounts' | 'passwords' | 'sessions' | 'invitations'>;
  entrance: Entrance;
  guesses: Guesses;
  signUp: SignUp;
}

export function accountRoutes({ store, entrance, guesses, signUp }: AccountRoutesOptions): Route[] {
  /** Uses an invitation up for the time of the work; it works again where that fails. */
  async function invited<T>(invitation: string | null, work: () => Promise<T>): Promise<T> {
    if (signUp === 'closed') throw new ConsoleError('sign_up_closed', 'No accounts can be made here. Ask who runs this service for one.');
    if (signUp === 'open') return work();
    const lifeMs = invitation === null ? null : await store.invitations.lifeMs(invitation);
    const taken = invitation === null ? null : await store.invitations.take(invitation);
    if (invitation === null || lifeMs === null || taken === null)
      throw new ConsoleError(
        'sign_up_closed',
        'An account is made here by invitation, and this one was used before or is too old. Ask for a new one.',
        {
          field: 'invitation',
        },
      );
    try {
      return await work();
    } catch (error) {
      await inDoubt(() => store.invitations.giveBack(invitation, taken, lifeMs));
      throw error;
    }
  }

  async function create(email: string, password: string): Promise<string> {
    const hash = await store.passwords.hash(password);
    try {
      return (await store.accounts.create({ email, password: hash })).account;
    } catch (error) {
      if (error instanceof ApiError && error.field === 'email') throw taken();
      throw error;
    }
  }

  async function changePassword({ exchange, session, body }: AskedBySession): Promise<object> {
    const form = new Form(await body(), ['current', 'password']);
    const password = form.newPassword('password');
    const [account, hash] = await Promise.all([store.accounts.get(session.account), store.passwords.of(session.account)]);
    if (account === null) throw new ConsoleError('signed_out', 'This account is no more.');
    if (hash !== null) {
      const current = form.password('current', 'Enter the password you have now.');
      const right = await guesses.of(exchange, account.email, () => store.passwords.check(account.email, current));
      if (right === null) throw new ConsoleError('wrong_credentials', 'This is not the password you have now.', { field: 'current' });
    }
    if (!(await store.passwords.replace(session.account, hash, await store.passwords.hash(password))))
      throw new ConsoleError('conflict', 'The password was changed elsewhere meanwhile. Try again with that one.', { field: 'current' });
    return inDoubt(async () => {
      await store.sessions.endAll(session.account, session.keyHash);
      return entrance.tell(exchange);
    });
  }

  return [
    {
      for: 'anyone',
      method: 'POST',
      path: 'accounts',
      label: 'console_accounts',
      async handle({ exchange, body }) {
        const form = new Form(await body(), ['email', 'password', 'invitation']);
        const email = form.email('email');
        const password = form.newPassword('password');
        const invitation = form.has('invitation') ? form.text('invitation', 'The invitation is not whole.') : null;
        await guesses.stranger('signUp', exchange);
        const account = await invited(invitation, () => create(email, password));
        return inDoubt(() => entrance.letIn(exchange, account));
      },
    },
    { for: 'session', method: 'PUT', path: 'password', label: 'console_password', handle: changePassword },
  ];
}

function taken(): ConsoleError {
  return new ConsoleError('conflict', 'There is an account with this e-mail address. Sign in, or use another address.', { field: 'email' });
}
