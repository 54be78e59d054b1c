/** The command line of the MCP Inspector: a process for each call. Its strict mode checks whether schemas are portable. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

export const about = {
  name: 'MCP Inspector, command line',
  node: '24',
  versions: [{ '@modelcontextprotocol/inspector': '2.12.0' }],
  lacks: {
    'OAuth, refresh after an hour': 'its command line asks for consent at a terminal alone',
    'two processes, one login': 'its command line asks for consent at a terminal alone',
  },
};

export async function connect({ url, key }) {
  const launcher = join(
    dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
    'clients/launcher/build/index.js',
  );
  const run = (args, signal) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [launcher, '--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [output, errors] = [[], []];
      child.stdout.on('data', (chunk) => output.push(chunk));
      child.stderr.on('data', (chunk) => errors.push(chunk));
      child.once('error', reject);
      signal?.addEventListener('abort', () => child.kill('SIGINT'));
      child.once('close', (code) => {
        const text = Buffer.concat(output).toString();
        if (code === 0 || (text.startsWith('{') && !signal?.aborted)) resolve(JSON.parse(text));
        else reject(new Error(`exit code ${code}: ${Buffer.concat(errors).toString().slice(-400)}`));
      });
    });
  return {
    list: async () => (await run(['--method', 'tools/list', '--strict'])).tools,
    call: (name, args, signal) => {
      const pairs = Object.entries(args).flatMap(([arg, value]) => [`${arg}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);
      return run(['--method', 'tools/call', '--tool-name', name, ...(pairs.length === 0 ? [] : ['--tool-arg', ...pairs])], signal);
    },
    close: async () => {},
  };
}
