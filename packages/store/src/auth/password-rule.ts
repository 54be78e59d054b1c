/** Rule for new passwords. Existing passwords are not checked, so that users can still sign in. */
import { Lazy } from '@perch/runtime/plain';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

export const passwordChars = { min: 12, max: 200 };

/** On zxcvbn's scale of 0 to 4; below 3 a password is found within 10^8 guesses. */
const scoreMin = 3;
/** zxcvbn's time on the event loop grows with the length: 24 characters take 3 ms, the worst of 400 hostile ones 18 ms. */
const examinedCharsMax = 24;
const ownWords = ['perch', 'robot', 'stackchan'];

/** The first call in a process loads the estimator, about 25 MB. @param email address of the account, which the password must not repeat */
export async function isCommonPassword(password: string, email: string): Promise<boolean> {
  const examined = [...password].slice(0, examinedCharsMax).join('');
  const address = email.toLowerCase();
  const words = address.split(/[^\p{L}\p{N}]+/u);
  const { score } = (await estimator.get()).check(examined, [address, address.slice(0, examinedCharsMax), ...words, ...ownWords]);
  return score < scoreMin;
}

/** Loads on first use, because most processes that open a store set no passwords. */
const estimator = new Lazy(async (): Promise<ZxcvbnFactory> => {
  const [{ ZxcvbnFactory: Factory }, common] = await Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]);
  // zxcvbn takes seconds to try many substitutions (p@55w0rd); one per character is enough to find common passwords.
  return new Factory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs, l33tMaxSubstitutions: 1 });
});
