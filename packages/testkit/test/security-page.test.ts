import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { strict as assert } from 'node:assert';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${root}docs/security.md`, 'utf8');

/** Number of requirements of levels 1 and 2 in each section of OWASP ASVS 5.0.0, numbered from 1. */
const sections: Record<string, number> = {
  ...{ '1.1': 2, '1.2': 9, '1.3': 11, '1.4': 3, '1.5': 2, '2.1': 3, '2.2': 3, '2.3': 4, '2.4': 1 },
  ...{ '3.2': 2, '3.3': 4, '3.4': 6, '3.5': 5, '3.7': 2, '4.1': 3, '4.2': 1, '4.3': 2, '4.4': 4 },
  ...{ '5.1': 1, '5.2': 3, '5.3': 2, '5.4': 3, '6.1': 3, '6.2': 12, '6.3': 4, '6.4': 4, '6.5': 5, '6.6': 3, '6.8': 4 },
  ...{ '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2, '8.1': 2, '8.2': 3, '8.3': 1, '8.4': 1, '9.1': 3, '9.2': 4 },
  ...{
    '10.1': 2,
    '10.2': 2,
    '10.3': 4,
    '10.4': 11,
    '10.5': 5,
    '10.6': 2,
    '10.7': 3,
    '11.1': 2,
    '11.2': 3,
    '11.3': 3,
    '11.4': 4,
    '11.5': 1,
    '11.6': 1,
  },
  ...{ '12.1': 3, '12.2': 2, '12.3': 4, '13.1': 1, '13.2': 5, '13.3': 2, '13.4': 5, '14.1': 2, '14.2': 4, '14.3': 3 },
  ...{ '15.1': 3, '15.2': 3, '15.3': 7, '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 3, '17.1': 1, '17.2': 4, '17.3': 2 },
};
const states = ['met', 'partly', 'no', 'operator', 'n/a'];

interface Row {
  requirements: string[];
  state: string;
  evidence: string;
}

const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d[^|]*) \| ([^|]+) \| (.+) \|$/gm)].map(([, numbers, state, evidence]): Row => {
  return { requirements: numbers!.split(', ').flatMap(expanded), state: state!, evidence: evidence! };
});

describe('docs/security.md', () => {
  it('lists every requirement of OWASP ASVS 5.0.0, levels 1 and 2, exactly once', () => {
    const expected = Object.entries(sections).flatMap(([section, count]) => Array.from({ length: count }, (_, i) => `${section}.${i + 1}`));
    assert.equal(expected.length, 253);
    assert.deepEqual(rows.flatMap(({ requirements }) => requirements).toSorted(), expected.toSorted());
  });

  it('gives every requirement a known state, and a reason or evidence', () => {
    assert.deepEqual(
      rows.filter(({ state, evidence }) => !states.includes(state) || evidence.trim().length < 5),
      [],
    );
  });

  it('names only files and folders of the repository as evidence', () => {
    const named = [...page.matchAll(/`((?:packages|services|test-e2e|deploy|docs|clients)\/[^`]+)`/g)].map(([, path]) => path!);
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter((path) => !existsSync(`${root}${path}`)),
      [],
    );
  });
});

function expanded(numbers: string): string[] {
  const [first, last = first] = numbers.split('-');
  const section = first!.slice(0, first!.lastIndexOf('.'));
  const [from, to] = [first!, last!].map((number) => Number(number.split('.').at(-1)));
  return Array.from({ length: to! - from! + 1 }, (_, i) => `${section}.${from! + i}`);
}
