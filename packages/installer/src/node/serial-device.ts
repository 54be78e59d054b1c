import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { isatty, ReadStream, WriteStream } from 'node:tty';
import { InstallError } from '../install-error.js';
import { baudRate, type ByteStreams, type RobotPort } from '../robot-port.js';

const { O_NOCTTY, O_NONBLOCK, O_RDWR } = constants;

/** A serial port of Linux or macOS by its device file, without a native library (docs/decisions/tools.md). */
export function serialDevice(path: string): RobotPort {
  let opened: { reader: ReadStream; writer: WriteStream } | null = null;
  return {
    async open(): Promise<ByteStreams> {
      const reader = new ReadStream(openTerminal(path));
      // A second file: Node closes each stream's own.
      const writer = new WriteStream(openTerminal(path));
      // Failures reach the streams made from them.
      writer.on('error', () => undefined);
      opened = { reader, writer };
      return { readable: Readable.toWeb(reader) as ReadableStream<Uint8Array>, writable: Writable.toWeb(writer) as WritableStream<Uint8Array> };
    },
    async close() {
      opened?.reader.destroy();
      opened?.writer.destroy();
      opened = null;
    },
  };
}

function openTerminal(path: string): number {
  const file = openFile(path);
  // Bytes as they are: no echo, no signals, no changed ends of lines.
  const { status } = isatty(file)
    ? spawnSync('stty', [String(baudRate), 'raw', '-echo', 'clocal'], { stdio: [file, 'ignore', 'ignore'] })
    : { status: 1 };
  if (status === 0) return file;
  closeSync(file);
  throw new InstallError('port_missing', `${path} is not a serial port.`);
}

function openFile(path: string): number {
  try {
    return openSync(path, O_RDWR | O_NOCTTY | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw new InstallError('port_denied', `You may not open ${path}.`, { cause: error });
    if (code === 'EBUSY') throw new InstallError('port_busy', `Another program uses ${path}.`, { cause: error });
    throw new InstallError('port_missing', `There is no port ${path}.`, { cause: error });
  }
}
