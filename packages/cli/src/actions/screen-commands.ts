/** `perch screen` and `perch preview show|say|ask|menu`: what the screen shows, or would show, as a PNG on standard output. */
import type { PreviewedAction, ScreenImageAnswer } from '@perch/client';
import { Command, type OptionValues } from 'commander';
import { Refused } from '../refused.js';
import type { Session } from '../session.js';
import { robotCommand, robotOf } from './action-commands.js';
import { actions } from './actions.generated.js';
import { ArgumentFlags } from './argument-flags.js';
import { noteLines } from './answer-text.js';

const previewed: readonly PreviewedAction[] = ['show', 'say', 'ask', 'menu'];

export function screenCommands(session: Session): Command[] {
  return [screenCommand(session), previewCommand(session)];
}

function screenCommand(session: Session): Command {
  return pictureCommand('screen', 'Write what the screen shows now to standard output, as a PNG.', 'perch screen > now.png').action(
    async (options: OptionValues) => {
      requireRedirected(session, options);
      const robot = await robotOf(session, options);
      write(session, options, await robot.screen());
    },
  );
}

function previewCommand(session: Session): Command {
  const command = new Command('preview').helpGroup('Robots, over HTTP:').description('Draw what an action would show, without showing it.');
  for (const name of previewed) {
    const example = `perch preview ${name === 'ask' ? "ask 'Lunch?' Yes Later" : name === 'menu' ? 'menu Soup Pizza' : `${name} 'Tea is ready'`} > drawn.png`;
    const drawing = pictureCommand(name, `Write what ${name} would show to standard output, as a PNG.`, example);
    const flags = new ArgumentFlags(actions.find((action) => action.name === name)!);
    flags.addTo(drawing);
    drawing.action(async (...given: unknown[]) => {
      const options = given.at(-2) as OptionValues;
      requireRedirected(session, options);
      const args = await flags.read(given.slice(0, -2), options, session);
      const robot = await robotOf(session, options);
      write(session, options, await robot.preview(name, args));
    });
    command.addCommand(drawing);
  }
  return command;
}

function pictureCommand(name: string, summary: string, example: string): Command {
  return robotCommand(name, summary)
    .option('--json', 'prints the response as JSON, with the PNG in base64 and what was cut or changed in it')
    .addHelpText('after', `\nExamples:\n  $ ${example}`);
}

function requireRedirected(session: Session, { json }: OptionValues): void {
  if (json !== true && session.isTerminal) throw new Refused('a PNG is not text: redirect it, as in perch screen > now.png, or use --json', 'usage');
}

function write(session: Session, { json }: OptionValues, answer: ScreenImageAnswer): void {
  for (const line of noteLines(answer)) session.warn(line);
  if (json === true) session.print(true, answer, () => '');
  else session.writeBytes(Buffer.from(answer.image, 'base64'));
}
