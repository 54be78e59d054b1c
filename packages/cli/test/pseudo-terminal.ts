/** A serial port on this machine whose other end is a robot of the testkit: a pseudo-terminal, opened by Python, since Node has none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { SerialRobot } from '@perch/testkit';

const program = `
import os, pty, select, sys, tty
master, slave = pty.openpty()
tty.setraw(slave)
sys.stderr.write(os.ttyname(slave) + "\\n")
sys.stderr.flush()
while True:
    for ready in select.select([master, 0], [], [])[0]:
        data = os.read(ready, 4096)
        if not data:
            sys.exit()
        os.write(1 if ready == master else master, data)
`;

export interface PseudoTerminal {
  path: string;
  close(): Promise<void>;
}

/** @returns null where there is no Python */
export async function connectTerminal(robot: SerialRobot): Promise<PseudoTerminal | null> {
  const child = spawn('python3', ['-c', program], { stdio: 'pipe' });
  const started = await Promise.race([once(createInterface({ input: child.stderr }), 'line'), once(child, 'error').then(() => null)]).catch(
    () => null,
  );
  if (started === null) return null;
  const closing = new AbortController();
  let writer: WritableStreamDefaultWriter<Uint8Array> | null = null;
  child.stdout.on('data', (bytes: Buffer) => void writer?.write(bytes).catch(() => undefined));
  void (async () => {
    while (!closing.signal.aborted) {
      try {
        const { readable, writable } = await robot.port.open();
        writer = writable.getWriter();
        writer.closed.catch(() => undefined);
        for await (const bytes of readable as unknown as AsyncIterable<Uint8Array>) child.stdin.write(bytes);
      } catch {
        // The robot restarts.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  })();
  return {
    path: String(started[0]),
    async close() {
      closing.abort();
      child.kill();
      await once(child, 'close');
    },
  };
}
