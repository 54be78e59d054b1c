/** From /proc (Linux only). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Socket {
  localPort: number;
  /** 0 for a listening socket. */
  remotePort: number;
  state: 'established' | 'listening' | 'closing';
}

const established = '01';
const listening = '0A';

/** @throws if the process does not exist */
export function socketsOf(pid: number): Socket[] {
  const own = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      own.add(readlinkSync(`/proc/${pid}/fd/${fd}`));
    } catch {
      // Closed since the directory was read.
    }
  }
  const sockets: Socket[] = [];
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/${pid}/net/${table}`, 'utf8').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (!own.has(`socket:[${fields[9]}]`)) continue;
      const [localPort, remotePort] = [fields[1], fields[2]].map((address) => Number.parseInt(address?.split(':')[1] ?? '', 16)) as [number, number];
      sockets.push({ localPort, remotePort, state: fields[3] === established ? 'established' : fields[3] === listening ? 'listening' : 'closing' });
    }
  }
  return sockets;
}
