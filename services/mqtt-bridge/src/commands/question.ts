import { randomUUID } from 'node:crypto';
import type { AskArguments } from '@perch/client';
import { BadPayload, objectOf } from './payload.js';

/** Time for an answer, if the payload sets none. */
const timeoutSDefault = 120;
const answersDefault = ['Yes', 'No'];
/** Longer texts are cut where they name a question that was not asked. */
const textCharacters = 255;
const idPattern = /^[\w.:-]{1,64}$/;

export interface Question {
  /** Names the question in its events and in the last answer. */
  id: string;
  arguments: AskArguments & { detach: true };
}

/**
 * Returns the question of a payload: `Question | Answer | Answer`, a question alone (answered with Yes or No), or a JSON object with the arguments
 * of `ask` and an id. It does not hold its call open: the answer arrives as the event `answered`. @throws {BadPayload}
 */
export function questionOf(payload: string): Question {
  if (payload.trimStart().startsWith('{')) {
    const {
      id = randomUUID(),
      question,
      answers = answersDefault,
      timeout_s = timeoutSDefault,
      ...more
    } = objectOf(payload) as Partial<AskArguments> & { question: string; id?: unknown };
    if (!isId(id)) throw new BadPayload('id must consist of 1 to 64 letters, digits, _, ., : and -');
    return { id, arguments: { ...more, question, answers, timeout_s, detach: true } };
  }
  const [question = '', ...answers] = payload.split('|').map((part) => part.trim());
  if (question === '') throw new BadPayload('it must begin with a question');
  return {
    id: randomUUID(),
    arguments: { question, answers: answers.length === 0 ? answersDefault : answers, timeout_s: timeoutSDefault, detach: true },
  };
}

/** Returns what a payload that asks nothing says of its question, so that its caller recognizes it. */
export function questionNamedIn(payload: string): { id: string | null; question: string | null } {
  try {
    const { id, question } = JSON.parse(payload) as Partial<Record<'id' | 'question', unknown>>;
    return { id: isId(id) ? id : null, question: typeof question === 'string' ? question.slice(0, textCharacters) : null };
  } catch {
    return { id: null, question: payload.split('|', 1)[0]!.trim().slice(0, textCharacters) };
  }
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && idPattern.test(id);
}
