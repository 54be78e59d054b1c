/** Makes calls with `@perch/client`, which its folder has, and prints what came of each: a JSON object a line in and out. */
import { createInterface } from 'node:readline';
import { Perch, PerchError } from '@perch/client';

const question = { question: 'Deploy?', answers: ['yes', 'no'], timeout_s: 60 };

const calls = {
  say: (perch, options, { robot = 'r-1' }) => perch.robot(robot).say({ text: 'Hello' }, options),
  speak: (perch, options) => perch.robot('r-1').speak({ text: 'Hello' }, options),
  ask: (perch, options) => perch.robot('r-1').ask(question, options),
  scene: (perch, options) => perch.robot('r-1').scene([{ action: 'face', emotion: 'happy', at_ms: 500 }], options),
  state: (perch, options) => perch.robot('r-1').state(options),
  screen: (perch, options) => perch.robot('r-1').screen(options),
  read_events: (perch, options) => perch.robot('r-1').readEvents({}, options),
  robots: (perch, options) => perch.robots(options),
  upload: (perch, options) => perch.uploadPicture(new Uint8Array([0x89, 0x50]), options),
  activity: (perch, options) => perch.activity(options),
  usage: (perch, options) => perch.usage(options),
  icons: (perch, options) => perch.icons(options),
  wait: (perch, options, { wait = 'wt-1' }) => perch.wait(wait, options),
  group: (perch, options, { label = 'all' }) => perch.group(label).act('face', { emotion: 'happy' }, options),
  new: () => null,
};

const aborts = new Map();

function outcomeOf(error, signal) {
  if (signal.aborted) return { aborted: true };
  if (!(error instanceof PerchError)) return { refused: error instanceof TypeError, message: `${error?.name}: ${error?.message}` };
  const { code, status, requestId, retryAfterS, message } = error;
  return { code, status, requestId: requestId ?? null, retryAfterS: retryAfterS ?? null, message };
}

async function eventsOf(perch, signal, after) {
  const seqs = [];
  try {
    for await (const event of perch.robot('r-1').events({ signal, ...(after !== undefined && { after }) })) seqs.push(event.seq);
    return { seqs };
  } catch (error) {
    return { seqs, ...outcomeOf(error, signal) };
  }
}

async function play({ id, base, key = 'pk_secret', call, timeoutS, maxRetries, retry, idempotencyKey, after, ...args }) {
  const abort = new AbortController();
  aborts.set(id, abort);
  const { signal } = abort;
  try {
    const perch = new Perch({ baseUrl: base, apiKey: key, maxRetries, timeoutMs: timeoutS === undefined ? undefined : timeoutS * 1000 });
    if (call === 'events') return await eventsOf(perch, signal, after);
    // A time limit of a question is in addition to its own; Python's is all of it.
    const timeoutMs = timeoutS !== undefined && call === 'ask' ? timeoutS * 1000 - 60_000 : undefined;
    const value = await calls[call](
      perch,
      { signal, timeoutMs, ...(retry && { retry }), ...(idempotencyKey !== undefined && { idempotencyKey }) },
      args,
    );
    return { value };
  } catch (error) {
    return outcomeOf(error, signal);
  }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const command = JSON.parse(line);
  if (command.abort) return aborts.get(command.id).abort();
  process.stdout.write(`${JSON.stringify({ id: command.id, ...(await play(command)) })}\n`);
});
