/** `--expect ANSWER`: a script goes on only if the person gave this answer, since exit code 0 alone means any answer. */
import type { Command } from 'commander';
import { exitCodeOfAnswer, exitCodes } from '../exit-codes.js';
import { Refused } from '../refused.js';

interface Answered {
  answer?: unknown;
  item?: unknown;
  label?: unknown;
  region?: unknown;
}

export function addExpectFlag(command: Command): void {
  command.option(
    '--expect <answer>',
    `exit code 0 for this answer alone, and ${exitCodes.other.code} for another one; repeat it for each that will do`,
    (text: string, before: string[] | undefined) => [...(before ?? []), text],
  );
}

/** @param args of ask, menu or clickmap @throws {Refused} an expected answer that nobody can give, so that a script would never go on */
export function requirePossible(expected: readonly string[] | undefined, args: Record<string, unknown>): void {
  const { answers, items, regions } = args as Record<
    'answers' | 'items' | 'regions',
    readonly (string | { id?: string; label?: string })[] | undefined
  >;
  const possible = (answers ?? items ?? regions ?? []).flatMap((each) => (typeof each === 'string' ? [each] : [each.id, each.label]));
  const wrong = expected?.find((text) => !possible.includes(text));
  if (wrong !== undefined)
    throw new Refused(
      `--expect ${JSON.stringify(wrong)} is none of the answers: ${possible.filter((text) => text !== undefined).join(', ')}`,
      'usage',
    );
  if (expected !== undefined && args['detach'] === true) throw new Refused('--expect belongs to perch answer, where --detach is given', 'usage');
}

/** Returns the exit code of a question of which one of these answers is expected; if undefined, any. */
export function exitCodeOfExpected(answer: object, expected: readonly string[] | undefined): number {
  const code = exitCodeOfAnswer(answer);
  if (code !== exitCodes.done.code || expected === undefined) return code;
  const { answer: text, item, label, region } = answer as Answered;
  return [text, item, label, region].some((given) => typeof given === 'string' && expected.includes(given)) ? code : exitCodes.other.code;
}
