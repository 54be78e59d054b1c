import { loadMicroPython } from '@micropython/micropython-webassembly-pyscript/micropython.mjs';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const heapBytes = 1024 * 1024;
/** Modules lie beside the program; a robot program is in a folder of its own, which its tests name. */
const programFolder = '/test';
export const wasmRobotFolder = '/robot';
export const wasmEmptyFolder = '/empty';

/**
 * Runs a Python program in MicroPython's WebAssembly build, from npm: where there is only Node. It has no sockets, and this process does nothing else
 * meanwhile.
 * @param robot a folder that the program finds at `wasmRobotFolder`
 * @returns what it printed @throws {Error} its exception
 */
export async function runWasmProgram(file: string, { robot, args }: { robot: string; args: readonly string[] }): Promise<string> {
  let printed = '';
  const print = (bytes: Uint8Array): void => {
    printed += Buffer.from(bytes).toString('latin1');
  };
  const interpreter = await loadMicroPython({ heapsize: heapBytes, linebuffer: false, stdout: print, stderr: print });
  for (const [from, to] of [
    [dirname(file), programFolder],
    [robot, wasmRobotFolder],
  ] as const) {
    for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.endsWith('.py')) continue;
      const path = join(entry.parentPath, entry.name);
      const target = `${to}/${relative(from, path).replaceAll('\\', '/')}`;
      interpreter.FS.mkdirTree(dirname(target));
      interpreter.FS.writeFile(target, readFileSync(path));
    }
  }
  interpreter.FS.mkdirTree(wasmEmptyFolder);
  const path = `${programFolder}/${relative(dirname(file), file)}`;
  try {
    interpreter.runPython(
      `import sys\nsys.argv[:] = ${JSON.stringify([path, ...args])}\nsys.path.insert(0, "${programFolder}")\nexec(open("${path}").read(), {"__name__": "__main__"})`,
    );
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${printed}`, { cause: error });
  }
  return printed;
}
