/** The command line: what there is to call, and how a call becomes an exit code. 0 done, 1 it could not be done, 2 called wrongly. */
import { ApiError } from '@perch/schema';
import { openStore, StoreError } from '@perch/store';
import { Command, CommanderError } from 'commander';
import { accountCommands } from './account-commands.js';
import { keyCommands } from './key-commands.js';
import { robotCommands } from './robot-commands.js';
import { Refused } from './refused.js';
import type { Session } from './session.js';

export interface Terminal {
  /** Of the system to administer; empty where none was named. */
  redisUrl: string;
  out: (text: string) => void;
  err: (text: string) => void;
}

const epilogue = `
Examples:
  $ export PERCH_REDIS_URL=redis://127.0.0.1:6379      (npm start prints the one it uses)
  $ npm run --silent perch -- account add --email ada@example.org
  $ npm run --silent perch -- robot add --account a-0123456789 --name Desk
  $ npm run --silent perch -- key add --account a-0123456789 --json

The system it administers is the one that uses the Redis of PERCH_REDIS_URL.
Exit codes: 0 done, 1 it could not be done, 2 called wrongly.`;

/** Runs one call. @returns its exit code; what went wrong is on `err` */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('perch').description('Administers a running Perch: accounts, robots and API keys.').addHelpText('after', epilogue);
  const session = sessionOf(terminal);
  program.addCommand(accountCommands(session)).addCommand(robotCommands(session)).addCommand(keyCommands(session));
  configure(program, terminal);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed its own; asked-for help and version are no failure.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.err(`perch: ${sentenceOf(error)}\n`);
    return error instanceof Refused ? error.exitCode : 1;
  }
}

function configure(command: Command, terminal: Terminal): void {
  command.exitOverride().configureOutput({ writeOut: terminal.out, writeErr: terminal.err }).showHelpAfterError('(--help shows how it is called)');
  for (const child of command.commands) configure(child, terminal);
}

function sessionOf(terminal: Terminal): Session {
  return {
    async withStore(work) {
      if (terminal.redisUrl === '') {
        throw new Refused(
          'PERCH_REDIS_URL is not set. It names the Redis of the running system, for example redis://127.0.0.1:6379; npm start prints the one it uses.',
          2,
        );
      }
      const store = await openStore({ url: terminal.redisUrl, instance: `cli-${process.pid}` });
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
    print(json, answer, text) {
      terminal.out(json === true ? `${JSON.stringify(answer)}\n` : `${text}\n`);
    },
  };
}

function sentenceOf(error: unknown): string {
  if (error instanceof StoreError) return `the Redis of PERCH_REDIS_URL does not answer: ${error.message}`;
  if (error instanceof ApiError || error instanceof Refused) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
