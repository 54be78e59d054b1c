#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { text as textOf } from 'node:stream/consumers';
import { runProgram } from './program.js';

let outcomeMatters = false;

process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  // A reader such as head or true may close the pipe early; how a question ended is told by the exit code all the same.
  if (code === 'EPIPE' && outcomeMatters) return;
  if (code !== 'EPIPE') process.stderr.write(`perch: standard output cannot be written (${code}); what was done stays done\n`);
  process.exit(code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runProgram(process.argv.slice(2), {
  environment: process.env,
  out: (text) => process.stdout.write(text),
  outBytes: (bytes) => process.stdout.write(bytes),
  isTerminal: process.stdout.isTTY,
  err: (text) => process.stderr.write(text),
  ...(process.stdin.isTTY && { ask }),
  readSecret,
  readInput: () => textOf(process.stdin),
  outcomeMatters: () => {
    outcomeMatters = true;
  },
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

async function readSecret(prompt: string): Promise<string> {
  if (!process.stdin.isTTY) return textOf(process.stdin);
  process.stderr.write(prompt);
  // Without an output nothing is echoed.
  const terminal = createInterface({ input: process.stdin, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
