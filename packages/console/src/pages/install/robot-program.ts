/** The robot program, byte for byte. A module of its own: only those who install it load it. */
import { programFiles, type ProgramFile } from '@perch/installer';

const folder = '../../../../../robots/micropython/';
const sources = import.meta.glob<string>('../../../../../robots/micropython/**/*.py', { query: '?raw', import: 'default', eager: true });

export function robotProgram(): Promise<ProgramFile[]> {
  return programFiles(Object.entries(sources).map(([path, text]) => [path.slice(folder.length), text] as const));
}
