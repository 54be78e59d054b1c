import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';

const sources = new URL('../../src/', import.meta.url);

/** Buttons that send at once, without a second in view, and why they may. The others are `DecisionButton`. */
const plain: Readonly<Record<string, string>> = {
  '{send}': 'a dialog that grants, deletes and replaces nothing (DialogActions)',
  'Send e-mail': 'repeats an e-mail',
  Withdraw: 'another link can be made',
  Save: 'a setting, which can be changed back',
  'Run {action}': 'an action of the robot, chosen and filled in by hand',
  Ask: 'a question that was typed',
  'Create account': 'with a password that was typed',
  'Create key': 'this page alone learns it',
  'Sign in': 'with a password that was typed',
  'Sign in with a passkey': 'the browser asks',
  'Sign out': 'signs in again',
  End: 'that browser signs in again',
  "{hasPassword ? 'Change password' : 'Set password'}": 'with a password that was typed',
  'Set password and sign in': 'with a password that was typed',
  'Set password and end everything else': 'with a password that was typed',
  'Download data': 'a file for this browser',
  'Send a test': 'to the own webhook',
  "{webhook.paused ? 'Resume' : 'Pause'}": 'can be changed back',
};

/** Returns the end of an element's opening tag. */
function tagEnd(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}') depth--;
    else if (text[i] === '>' && depth === 0) return i + 1;
  }
  return text.length;
}

describe('buttons of the page', () => {
  it('each one that sends a request at once is known not to grant, delete or replace anything; others decide, and wait for a second in view', async () => {
    const files = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith('.tsx'));
    const found = new Map<string, string>();
    for (const file of files) {
      const text = await readFile(new URL(file, sources), 'utf8');
      for (const { index } of text.matchAll(/<(?:(?:Icon)?Button|button)\b/g)) {
        const end = tagEnd(text, index);
        const label = text
          .slice(end, text.indexOf('</', end))
          .replaceAll(/<[^>]*>/g, ' ')
          .trim()
          .replaceAll(/\s+/g, ' ');
        if (/\.mutate\(|type="submit"/.test(text.slice(index, end))) found.set(label, file);
      }
    }
    const unknown = [...found].filter(([label]) => plain[label] === undefined);
    assert.deepEqual(unknown, [], 'is it a DecisionButton?');
    assert.deepEqual(
      Object.keys(plain).filter((label) => !found.has(label)),
      [],
      'no longer there',
    );
  });
});
