/** Why signing in by another service failed: the address carries a word alone, so that no link can make the page say what it likes. */
import type { SignInProblem } from '@perch/schema';

const sentences: Record<SignInProblem, string> = {
  oidc_failed: 'The other service did not sign you in. Try again; if it fails again, sign in by password.',
  oidc_cancelled: 'You were not signed in: it was cancelled at the other service. Try again, or sign in by password.',
  oidc_expired: 'Signing in at the other service took too long. Try again.',
  oidc_no_email: 'The other service tells no confirmed e-mail address of yours. Confirm it there and try again, or sign in by password.',
  oidc_email_taken: 'There is an account with this e-mail address already. Sign in by password.',
  sign_up_closed: 'There is no account of yours yet, and none can be made without an invitation. Ask who runs this service for one.',
  too_many_attempts: 'Too many attempts. Wait some minutes and try again.',
};

/** @returns undefined for a word that is none of ours */
export function problemSentence(word: string): string | undefined {
  return Object.hasOwn(sentences, word) ? sentences[word as SignInProblem] : undefined;
}
