/**
 * Two of the StackChan board's checks in MicroPython's WebAssembly build, which comes from npm: it runs wherever Node does, in the version of
 * MicroPython that UIFlow2 2.5 has. `micropython-wasm.long.test.ts` has more of them, and `micropython-stackchan.long.test.ts` all,
 * in the unix build.
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { runWasmProgram, wasmEmptyFolder, wasmRobotFolder } from '@perch/testkit';

const robot = fileURLToPath(new URL('../../robots/micropython', import.meta.url));
const checkFile = (name: string): string => fileURLToPath(new URL(`../programs/stackchan/${name}`, import.meta.url));

const titles: [file: string, check: string, title: string][] = [
  ['checks.py', 'inputs', 'reports touches, strokes, a shake, nearness, a tag with its text, a remote, the power key, USB and its readings'],
  ['checks.py', 'silent_body', 'has screen, touch and sound where the body does not answer'],
];

describe('the board of the StackChan in the WebAssembly build of MicroPython', () => {
  for (const [file, check, title] of titles) {
    it(title, async () => {
      const printed = await runWasmProgram(checkFile(file), { robot, args: [wasmRobotFolder, check, wasmEmptyFolder] });
      assert.match(printed, /^done$/m, printed);
    });
  }
});
