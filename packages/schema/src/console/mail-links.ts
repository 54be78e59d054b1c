/** Bodies of requests about the links in e-mails; types only, as in console.ts. */
import type { SignedIn } from './console.js';

/** POST /console/password-resets. The answer does not depend on whether there is such an account. */
export interface RequestResetBody {
  email: string;
}

/** POST /console/password-resets/find: whether the link still works; if it does not, a failure as that of the PUT. Gateways of 0.10 answer 404. */
export interface FindResetBody {
  token: string;
}

/** PUT /console/password-resets: sets the password of the account that the e-mail's token belongs to, and signs in to it: `RecoveryAnswer`. */
export interface ResetPasswordBody {
  token: string;
  password: string;
}

/** PUT /console/verifications. POST /console/verifications, without a body, sends the e-mail to the account of the session. */
export interface VerifyEmailBody {
  token: string;
  /** In a browser that is not signed in to the account, for an address that was not verified: set as by a first reset, and answered as one. */
  password?: string;
}

/** Answer to a password that was set by the link of an e-mail. */
export interface RecoveryAnswer extends SignedIn {
  recovered: {
    /** Nobody had proven the address before: all that was made in the account has ended, but for its robots. */
    first: boolean;
    /** How many of each. Sessions and remembered browsers end always. */
    ended: Record<'passkeys' | 'keys' | 'clients' | 'webhooks' | 'share_links' | 'people', number>;
  };
}
