import { readFileSync } from 'node:fs';
import { PerchError } from '@perch/client';
import { Command, CommanderError } from 'commander';
import { accountCommands } from './accounts/account-commands.js';
import { activityCommand } from './activity/activity-commands.js';
import { actionCommands } from './actions/action-commands.js';
import { answerCommand } from './actions/answer-command.js';
import { pictureCommand } from './actions/picture-command.js';
import { completionCommand } from './completion.js';
import { connectCommand } from './connect/connect-command.js';
import { exitCodeOf, exitCodes, exitCodesText } from './exit-codes.js';
import { fleetCommand } from './robots/fleet-command.js';
import { invitationCommands } from './accounts/invitation-commands.js';
import { keyCommands } from './accounts/key-commands.js';
import { probeCommands } from './accounts/probe-commands.js';
import { redisCommands } from './redis-commands.js';
import { robotCommands } from './robots/robot-commands.js';
import { printableAnswer, printableJson, printableLines, printableText } from './output/printable.js';
import { Refused } from './refused.js';
import type { Session } from './session.js';
import { baseUrlDefault } from './settings.js';
import { redisReportOf, withStoreOf } from './system.js';
import { webhookCommands } from './accounts/webhook-commands.js';
import { screenCommands } from './actions/screen-commands.js';
import { watchCommand } from './actions/watch-command.js';

export interface Terminal {
  /** PERCH_BASE_URL, PERCH_API_KEY, PERCH_ROBOT, PERCH_REDIS_* (docs/operate/settings.md), and variables that locate the configuration file. */
  environment: Record<string, string | undefined>;
  out: (text: string) => void;
  outBytes?: (bytes: Uint8Array) => void;
  /** `out` is a terminal. Default: false. */
  isTerminal?: boolean;
  err: (text: string) => void;
  /** Asks the user a question. If unset: there is no user, and every question is answered with nothing. */
  ask?: (question: string) => Promise<string>;
  /** As in Session. If unset: standard input is empty. */
  readSecret?: (prompt: string) => Promise<string>;
  /** As in Session. If unset: standard input is empty. */
  readInput?: () => Promise<string>;
  /** As in Session. */
  outcomeMatters?: () => void;
  /** The working directory. Default: that of the process. */
  folder?: string;
}

const epilogue = `
Robots are controlled with an API key. URL, key and robot come from flags, or PERCH_BASE_URL, PERCH_API_KEY and PERCH_ROBOT, or the
configuration file ~/.config/perch/config.json (below $XDG_CONFIG_HOME if set): {"base_url": "https://...", "api_key": "pk_...", "robot": "r-..."}
Without a URL it is ${baseUrlDefault}, where npm start listens; without a robot, the key's only one.
  $ perch ask 'Tea or coffee?' Tea Coffee
  $ if perch ask 'Ship it?' Ship Wait --expect Ship; then echo shipping; fi
  $ perch show --title Build --text '42 %' --progress 0.42
  $ perch show --image photo.jpg
  $ perch clickmap left=rect:0,0,160,240 right=rect:160,0,160,240
  $ perch screen > now.png
  $ perch watch --names tap,pat --json
  $ perch activity --outcome refused
  $ perch connect claude-code

Accounts, robots and keys are managed through the Redis of the running system (npm start prints its URL):
  $ export PERCH_REDIS_URL=redis://127.0.0.1:6379
  $ perch account add --email ada@example.org
  $ perch robot add --account a-0123456789 --name Desk
  $ perch key add --account a-0123456789 --json

${exitCodesText}`;

function versionOfPackage(): string {
  return (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }).version;
}

/** @returns the exit code. Failures are printed to `err`, and with --json also to `out` as JSON */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('perch')
    .description('Controls robots through a running Perch service, and administers the service.')
    .addHelpText('after', epilogue);
  program.version(versionOfPackage(), '-V, --version', 'prints the version');
  const session = sessionOf(terminal);
  for (const command of [
    ...actionCommands(session),
    answerCommand(session),
    ...screenCommands(session),
    watchCommand(session),
    pictureCommand(session),
    activityCommand(session),
    connectCommand(session),
  ])
    program.addCommand(command);
  const administration = [
    accountCommands(session),
    invitationCommands(session),
    robotCommands(session),
    fleetCommand(session),
    keyCommands(session),
    webhookCommands(session),
    probeCommands(session),
    redisCommands(session),
  ];
  for (const command of administration) program.addCommand(command.helpGroup('Administration, over Redis:'));
  program.addCommand(completionCommand(session, program));
  configure(program, terminal);
  try {
    if (administration.some((command) => command.name() === args[0])) refuseSecrets(args);
    await program.parseAsync(args[0] === 'help' ? helpOf(program, args.slice(1), terminal) : [...args], { from: 'user' });
    return session.exitCode;
  } catch (thrown) {
    const error = refusedByClient(thrown);
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done.code;
    if (args.includes('--json')) terminal.out(`${printableJson(failureOf(error))}\n`);
    // Commander has already printed the message.
    if (error instanceof CommanderError) return exitCodes.usage.code;
    terminal.err(`perch: ${sentenceOf(error)}\n`);
    return exitCodeOf(error);
  }
}

/**
 * `help robot add` is `robot add --help`: commander reads one word, and says nothing of an unknown one.
 * @throws {CommanderError} a word is no command; the message suggests one
 */
function helpOf(program: Command, words: readonly string[], terminal: Terminal): string[] {
  const path: string[] = [];
  let command = program;
  for (const word of words) {
    if (command.commands.length === 0 || word.startsWith('-')) break;
    const found = command.commands.find((each) => each.name() === word);
    if (found === undefined) {
      // Has the commands' names alone, so that it cannot run a default one.
      const names = new Command(command.name());
      for (const each of command.commands) names.command(each.name());
      configure(names, terminal);
      names.parse([word], { from: 'user' });
      break;
    }
    path.push(word);
    command = found;
  }
  return [...path, '--help'];
}

/** Refuses a secret in place of an id, without repeating it. @throws {Refused} */
function refuseSecrets(args: readonly string[]): void {
  if (!args.some((text) => /(?:^|=)(?:pk|pf|ps|rt|whsec)_[\w+/-]{16}/.test(text))) return;
  throw new Refused(
    'an argument is a secret, and the history of your shell may keep it now. Name the id: of a key k-..., of a robot r-..., of a webhook w-.... ' +
      'perch key find reads the secret of a key or the token of a robot from standard input and prints the id',
    'usage',
  );
}

function configure(command: Command, terminal: Terminal): void {
  command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.err }).showHelpAfterError('(see --help for usage)');
  for (const child of command.commands) configure(child, terminal);
}

function sessionOf(terminal: Terminal): Session {
  const { environment, out, err, outBytes = () => {}, isTerminal = false, ask, readSecret, folder = process.cwd() } = terminal;
  return {
    environment,
    exitCode: exitCodes.done.code,
    withStore: (work) => withStoreOf(environment, work),
    readRedis: () => redisReportOf(environment),
    write: out,
    warn: (text) => err(`perch: ${printableText(text)}\n`),
    showLines: (text) => err(`${printableLines(text)}\n`),
    confirm: async (question) => /^y(?:es)?$/i.test(((await ask?.(question)) ?? '').trim()),
    readSecret: async (prompt) => (await readSecret?.(prompt)) ?? '',
    readInput: async () => (await terminal.readInput?.()) ?? '',
    outcomeMatters: () => terminal.outcomeMatters?.(),
    folder,
    writeBytes: outBytes,
    isTerminal,
    print(json, answer, text) {
      const printed = json === true ? printableJson(answer) : text(printableAnswer(answer));
      if (printed !== '') out(`${printed}\n`);
    },
  };
}

/** Returns as wrong usage what the client refuses because no request can have it: the user wrote it. Other TypeErrors are faults of the program. */
function refusedByClient(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  const { message } = error;
  if (message.startsWith('baseUrl: ')) return new Refused(message.replace('baseUrl', 'the base URL'), 'usage');
  return message.endsWith(' is no id') ? new Refused(message, 'usage') : error;
}

/** @returns the service's format; `code` is `usage` or `failed` if the failure did not come from a call */
function failureOf(error: unknown): object {
  if (error instanceof Refused) return { ok: false, error: error.message, code: error.kind, ...error.fields };
  if (!(error instanceof PerchError)) {
    const code = error instanceof CommanderError ? 'usage' : 'failed';
    return { ok: false, error: error instanceof Error ? error.message : String(error), code };
  }
  const { code, message, field, requestId, next, results } = error;
  return { ok: false, error: message, code, request_id: requestId, field, next, results };
}

function sentenceOf(error: unknown): string {
  if (error instanceof Refused) return [error.message, ...error.lines].map(printableText).join('\n');
  if (error instanceof PerchError) return [error.message, error.next ?? []].flat().map(printableText).join('\n');
  return printableLines(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
