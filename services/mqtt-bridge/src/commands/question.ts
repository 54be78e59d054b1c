import type { AskArguments } from '@perch/client';
import { BadPayload, objectOf } from './payload.js';

/** Time for an answer, if the payload sets none. */
const timeoutSDefault = 120;
const answersDefault = ['Yes', 'No'];

/**
 * Returns the question of a payload: `Question | Answer | Answer`, a question alone (answered with Yes or No), or a JSON object with the arguments
 * of `ask`. It does not hold its call open: the answer arrives as the event `answered`. @throws {BadPayload}
 */
export function questionOf(payload: string): AskArguments & { detach: true } {
  if (payload.trimStart().startsWith('{')) {
    const {
      question,
      answers = answersDefault,
      timeout_s = timeoutSDefault,
      ...more
    } = objectOf(payload) as Partial<AskArguments> & { question: string };
    return { ...more, question, answers, timeout_s, detach: true };
  }
  const [question = '', ...answers] = payload.split('|').map((part) => part.trim());
  if (question === '') throw new BadPayload('it must begin with a question');
  return { question, answers: answers.length === 0 ? answersDefault : answers, timeout_s: timeoutSDefault, detach: true };
}
