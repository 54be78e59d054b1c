/** /console/session: who is signed in; signing in by password or by a link; signing out. */
import { ConsoleError, type ConsoleSession } from '@perch/schema';
import { inDoubt, type Store } from '@perch/store';
import type { Exchange } from '../../http/exchange.js';
import type { Entrance } from './session-issuer.js';
import { Form } from '../form.js';
import type { Guesses } from './sign-in-rate-limiter.js';
import type { Route } from '../route.js';

export interface SessionRoutesOptions {
  store: Pick<Store, 'passwords' | 'signInTokens' | 'accounts'>;
  entrance: Entrance;
  guesses: Guesses;
}

export function sessionRoutes({ store, entrance, guesses }: SessionRoutesOptions): Route[] {
  const label = 'console_session';

  async function byPassword(exchange: Exchange, email: string, password: string): Promise<ConsoleSession> {
    const found = await guesses.signIn(exchange, email, () => store.passwords.check(email, password));
    if (found === null)
      throw new ConsoleError('wrong_credentials', 'This e-mail address and password do not belong together. Check both and try again.', {
        field: 'password',
      });
    return entrance.letIn(exchange, found.account, found.hash);
  }

  async function byLink(exchange: Exchange, link: string): Promise<ConsoleSession> {
    const account = await store.signInTokens.take(link);
    if (account === null) throw usedLink();
    return inDoubt(async () => {
      if ((await store.accounts.get(account)) === null) throw usedLink();
      return entrance.letIn(exchange, account);
    });
  }

  return [
    { for: 'anyone', method: 'GET', path: 'session', label, handle: ({ exchange }) => entrance.tell(exchange) },
    {
      for: 'anyone',
      method: 'POST',
      path: 'session',
      audit: 'sign_in',
      label,
      async handle({ exchange, body }) {
        const form = new Form(await body(), ['email', 'password', 'link']);
        if (form.has('link')) return byLink(exchange, form.text('link', 'The link is not whole.'));
        return byPassword(exchange, form.email('email'), form.password('password', 'Enter your password.'));
      },
    },
    { for: 'session', method: 'DELETE', path: 'session', audit: 'sign_out', label, cost: 0, handle: ({ exchange }) => entrance.letOut(exchange) },
  ];
}

function usedLink(): ConsoleError {
  return new ConsoleError(
    'wrong_credentials',
    'This link was used before, or is too old: it works once, for an hour. Sign in by password, or ask for a new one.',
  );
}
