/** Messages for failed external sign-ins. The URL carries only a code, so that a forged link cannot put its own text on the page. */
import type { SignInProblem } from '@perch/schema';

const sentences: Record<SignInProblem, string> = {
  oidc_failed: 'The other service did not sign you in. Try again, or sign in with your password.',
  oidc_cancelled: 'The sign-in was cancelled at the other service. Try again, or sign in with your password.',
  oidc_expired: 'The sign-in at the other service took too long. Try again.',
  oidc_no_email: 'The other service has no verified e-mail address for you. Verify it there and try again, or sign in with your password.',
  oidc_email_taken: 'An account with this e-mail address exists already. Sign in with your password.',
  sign_up_closed: 'You have no account yet, and sign-up requires an invitation. Ask the operator of this service for one.',
  too_many_attempts: 'Too many attempts. Wait a few minutes and try again.',
};

/** @returns undefined for an unknown code */
export function problemSentence(code: string): string | undefined {
  return Object.hasOwn(sentences, code) ? sentences[code as SignInProblem] : undefined;
}
