import { Argument, Command } from 'commander';
import { scripts, type CommandLine, type Flag } from './completion-scripts.js';
import type { Session } from '../session.js';

const shells = Object.keys(scripts) as (keyof typeof scripts)[];

const howTo = `
Examples:
  $ source <(perch completion bash)                                    in ~/.bashrc
  $ source <(perch completion zsh)                                     in ~/.zshrc, after compinit
  $ perch completion fish > ~/.config/fish/completions/perch.fish`;

export function completionCommand(session: Session, program: Command): Command {
  return new Command('completion')
    .description('Prints the script that completes perch in a shell.')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', howTo)
    .action((shell: keyof typeof scripts) => session.print(false, {}, () => scripts[shell](commandLines(program))));
}

/** Lists the program itself (`''`) first. */
function commandLines(command: Command, path: readonly string[] = []): CommandLine[] {
  const children = command.commands.filter((child) => child.name() !== 'help');
  const own: CommandLine = {
    path: path.join(' '),
    description: firstSentence(command.description()),
    children: children.map((child) => child.name()),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    flags: command.options.map(flagOf),
  };
  return [own, ...children.flatMap((child) => commandLines(child, [...path, child.name()]))];
}

function flagOf({ long, description, required, argChoices, flags }: Command['options'][number]): Flag {
  const takes = !required ? 'nothing' : flags.endsWith('<file>') ? 'file' : 'value';
  return { name: long!, description: firstSentence(description), takes, choices: argChoices ?? [] };
}

function firstSentence(text: string): string {
  return text.split(/\.(?: |$)|[;\n]/)[0]!;
}
