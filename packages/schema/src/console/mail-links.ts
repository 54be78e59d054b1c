/** Bodies of requests about the links in e-mails; types only, as in console.ts. */

/** POST /console/password-resets. The answer does not depend on whether there is such an account. */
export interface RequestResetBody {
  email: string;
}

/** PUT /console/password-resets: sets the password of the account that the e-mail's token belongs to, and signs in to it. */
export interface ResetPasswordBody {
  token: string;
  password: string;
}

/** PUT /console/verifications. POST /console/verifications, without a body, sends the e-mail to the account of the session. */
export interface VerifyEmailBody {
  token: string;
}
