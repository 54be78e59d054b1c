/** `--group` of the actions: one action on every robot with a label. */
import type { GroupOptions, GroupResult, Perch } from '@perch/client';
import type { Command, OptionValues } from 'commander';
import { answerText } from './answer-text.js';
import { noteLines } from './note-lines.js';
import { exitCodes, exitCodeOfAnswer } from '../exit-codes.js';
import { exitCodeOfExpected } from './expected-answer.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';

type Result = GroupResult<'state' | 'ask'>;

/** @param waits whether the action waits for a person */
export function addGroupFlags(command: Command, waits: boolean): void {
  command.option('--group <label>', 'acts on every robot with the label, such as room=r7, or with all on every robot of the key');
  if (waits) command.option('--first', 'with --group: ends with the first answer, which removes the questions of the other robots');
}

/** @throws {Refused} wrong flags */
export async function callGroup(session: Session, perch: Perch, name: string, args: Record<string, unknown>, options: OptionValues): Promise<void> {
  const { group, robot, idempotencyKey } = options as Record<string, string | undefined>;
  if (robot !== undefined) throw new Refused('--group cannot be combined with --robot', 'usage');
  const expected = options['expect'] as string[] | undefined;
  if (expected !== undefined && options['first'] !== true)
    throw new Refused('--expect with --group needs --first: the first answer alone decides', 'usage');
  const callOptions: GroupOptions = { idempotencyKey, answers: options['first'] === true ? 'first' : undefined };
  const answer = (await perch.group(group!).act(name as 'ask', args as never, callOptions)) as unknown as Result;
  session.print(options['json'] === true, answer, (printable) => linesOf(name, printable));
  for (const each of answer.robots) for (const line of noteLines(each)) session.warn(`${each.robot}: ${line}`);
  session.exitCode = exitCodeOfGroup(answer, expected);
}

function linesOf(name: string, { robots }: Result): string {
  return robots
    .map((each) => {
      const { robot, ...answer } = each;
      return `${robot} ${answer.ok ? textOf(name, answer) : ['failed:', answer.error, answer.next ?? []].flat().join(' ')}`.trimEnd();
    })
    .join('\n');
}

function textOf(name: string, answer: object): string {
  const { outcome } = answer as { outcome?: string };
  return outcome === undefined || outcome === 'answered' ? answerText(name, answer) : outcome;
}

/** A question is answered if any robot was answered; an action failed if it failed on any robot. */
function exitCodeOfGroup({ robots, failed }: Result, expected: readonly string[] | undefined): number {
  const outcomes = robots.filter((each) => 'outcome' in each);
  const answered = outcomes.find((each) => 'outcome' in each && each.outcome === 'answered');
  if (answered !== undefined) return exitCodeOfExpected(answered, expected);
  if (failed > 0) return exitCodes.failed.code;
  return outcomes.length === 0 ? exitCodes.done.code : exitCodeOfAnswer(outcomes[0]!);
}
