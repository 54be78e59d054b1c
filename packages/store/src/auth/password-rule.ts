/** What a new password must be like. Existing passwords are not checked: people sign in with what they have. */
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

export const passwordChars = { min: 12, max: 200 };

/** zxcvbn's scale of 0 to 4: below 3 a password is found within 10^8 guesses. */
const scoreMin = 3;
/**
 * Characters that zxcvbn examines. It runs on the event loop and its time grows with the length: 24 characters take 3 ms of CPU, the worst of 400
 * hostile ones 18 ms. Sign-ups are limited to 30 an hour per network, password changes to signed-in people.
 */
const examinedCharsMax = 24;
/** Words that everybody tries here, beside the account's address. */
const ownWords = ['perch', 'robot', 'stackchan'];

let estimator: Promise<ZxcvbnFactory> | null = null;

/**
 * Returns whether a new password is too easy to guess: common passwords and variants of them, keyboard patterns, repetitions, dates, the
 * account's own address. The first call in a process loads the estimator, about 25 MB.
 * @param email address of the account
 */
export async function isCommonPassword(password: string, email: string): Promise<boolean> {
  const examined = [...password].slice(0, examinedCharsMax).join('');
  const address = email.toLowerCase();
  const words = address.split(/[^\p{L}\p{N}]+/u);
  const { score } = (await loaded()).check(examined, [address, address.slice(0, examinedCharsMax), ...words, ...ownWords]);
  return score < scoreMin;
}

/** Loaded by the process that sets passwords, not by every process that opens a store. */
function loaded(): Promise<ZxcvbnFactory> {
  estimator ??= load().catch((error: unknown) => {
    estimator = null;
    throw error;
  });
  return estimator;
}

async function load(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, common] = await Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]);
  // Many substitutions (p@55w0rd) take zxcvbn seconds to try out; one per character is enough to find the common ones.
  return new Factory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs, l33tMaxSubstitutions: 1 });
}
