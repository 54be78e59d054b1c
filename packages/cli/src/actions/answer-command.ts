/** `perch answer WAIT`: goes on waiting for a question that was asked with --detach, reads how it ended, or takes it away. */
import type { Command, OptionValues } from 'commander';
import { exitCodes, outcomeText } from '../exit-codes.js';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { perchAt, serviceCommand, settingsFrom } from './action-commands.js';
import { answerText } from './answer-text.js';
import { addExpectFlag, exitCodeOfExpected } from './expected-answer.js';

const secondsMax = 60;

export function answerCommand(session: Session): Command {
  const command = serviceCommand('answer', 'Go on waiting for a question asked with --detach, or read how it ended.')
    .argument('<wait>', 'what perch ask --detach printed')
    .option('--seconds <number>', `seconds to wait, up to ${secondsMax} (default: 0)`)
    .option('--remove', 'take the question away instead, with its outcome')
    .option('--json', 'prints the response as JSON');
  addExpectFlag(command);
  return command
    .addHelpText(
      'after',
      "\nExamples:\n  $ WAIT=$(perch ask --detach --timeout-s 3600 'Deploy?' Yes No)\n  $ perch answer $WAIT --seconds 60 --expect Yes && echo 'here goes your deployment'",
    )
    .action(async (wait: string, options: OptionValues) => {
      const perch = perchAt(await settingsFrom(session, options));
      if (options['remove'] === true) return perch.removeWait(wait);
      session.outcomeMatters();
      const answer = await perch.wait(wait, { seconds: secondsOf(options['seconds'] as string | undefined) });
      session.print(options['json'] === true, answer, (printable) => (answer.outcome === 'pending' ? '' : answerText('', printable)));
      session.exitCode =
        answer.outcome === 'pending' ? exitCodes.timedOut.code : exitCodeOfExpected(answer, options['expect'] as string[] | undefined);
      const said = session.isTerminal && answer.outcome !== 'pending' ? outcomeText(session.exitCode) : null;
      if (said !== null) session.warn(said);
    });
}

function secondsOf(text = '0'): number {
  const seconds = Number(text);
  if (!/^\d{1,2}(\.\d{1,9})?$/.test(text) || seconds > secondsMax) throw new Refused(`--seconds is a number from 0 to ${secondsMax}`, 'usage');
  return seconds;
}
