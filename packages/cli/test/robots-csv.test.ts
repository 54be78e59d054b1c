import assert from 'node:assert/strict';
import fc from 'fast-check';
import { labelsOf, labelsText, limits } from '@perch/schema';
import { csvHeader, csvOfRobots, robotsOfCsv } from '../src/robots/robots-csv.js';

describe('robots in a CSV file', () => {
  const problemsOf = (text: string): [number, string | null, string][] =>
    robotsOfCsv(text).problems.map(({ line, column, reason }) => [line, column, reason]);

  it('reads columns in any order, CRLF, empty lines, quoted cells and blanks around cells', () => {
    const text = 'Serial, labels ,name\r\nSN-1,room=r1;floor=2,Desk\r\n\r\n"SN-2"," a=1 ; b= ","Desk ""two"", left"\r\nSN-3,,\n';
    assert.deepEqual(robotsOfCsv(text), {
      problems: [],
      robots: [
        { line: 2, id: '', serial: 'SN-1', name: 'Desk', labels: { room: 'r1', floor: '2' } },
        { line: 4, id: '', serial: 'SN-2', name: 'Desk "two", left', labels: { a: '1', b: '' } },
        { line: 5, id: '', serial: 'SN-3', name: '', labels: {} },
      ],
    });
    assert.deepEqual(robotsOfCsv('serial\nA\n').robots, [{ line: 2, id: '', serial: 'A', name: undefined, labels: undefined }]);
  });

  it('rejects single lines with line, column and reason, also after a cell of several lines', () => {
    const many = Array.from({ length: limits.robots.labelsMax + 1 }, (_, i) => `k${i}=1`).join(';');
    const lines = [
      'name,serial,labels',
      '"two\nlines",SN-1,',
      'Desk,,',
      'Desk,SN-2,room',
      `Desk,${'s'.repeat(65)},Room=1`,
      `${'n'.repeat(65)},SN-3,${many}`,
      'Desk,SN-4',
      'Desk,SN-5,a=1,b=2',
      'Desk,S\u202eN,a=1;a=2',
      'Desk,SN-6,a=1',
    ];
    const { robots, problems } = robotsOfCsv(lines.join('\n'));
    assert.deepEqual(
      robots.map(({ serial, line }) => [serial, line]),
      [['SN-6', 11]],
    );
    assert.deepEqual(
      problems.map(({ line, column, reason }) => `${line} ${column}: ${reason}`),
      [
        '2 name: must not contain line breaks, control characters or text-direction characters',
        '4 serial: is missing',
        '5 labels: "room": must be key=value, such as room=r7',
        '6 serial: at most 64 characters',
        '6 labels: "Room=1": a key is 1 to 32 of the characters a to z, 0 to 9, _ and -',
        '7 name: at most 64 characters',
        '7 labels: a robot has at most 16 labels',
        '8 null: has 2 cells, and the header has 3 columns',
        '9 null: has 4 cells, and the header has 3 columns',
        '10 serial: must not contain line breaks, control characters or text-direction characters',
        '10 labels: "a=2": the key a is given more than once',
      ],
    );
  });

  it('rejects a file whose header is missing, unknown, duplicated or has another separator', () => {
    for (const [text, reason] of [
      ['', /the header is missing/],
      ['\n\n', /the header is missing/],
      ['SN-1,Desk\n', /"SN-1", column 1, is unknown; allowed columns: id, name, serial, labels/],
      ['name;serial;labels\nDesk;SN-1;\n', /separated by commas/],
      ['serial,name,serial\n', /the column serial is given more than once/],
      ['name,labels\n', /the column serial is missing/],
      [`serial,${Array.from({ length: 10_001 }, (_, i) => `x${i}`).join()}`, /"x0", column 2, is unknown|is longer than/],
      [`serial,${','.repeat(10_001)}\n`, /"", column 2, is unknown/],
    ] as const) {
      const [problem, ...others] = problemsOf(text);
      assert.equal(others.length, 0, text.slice(0, 40));
      assert.match(problem![2], reason);
      assert.equal(problem![1], null);
    }
  });

  it('rejects a wrong quotation mark with its line, after the problems of earlier lines', () => {
    const text = 'serial,name\n,Desk\nSN-1,De"sk\nSN-2,Desk\n';
    assert.deepEqual(
      problemsOf(text).map(([line, column]) => [line, column]),
      [
        [2, 'serial'],
        [3, null],
      ],
    );
    for (const open of ['serial,name\nA,b\nSN-1,"Desk\nSN-2,x\n', `serial,name\nA,b\nSN-1,"${'x\n'.repeat(100_000)}`]) {
      const [[line, , reason]] = problemsOf(open) as [[number, null, string]];
      assert.equal(line, 3);
      assert.match(reason, /not closed/);
    }
  });

  it('reads back what was written', () => {
    const text = (max: number) =>
      fc
        .string({ unit: fc.constantFrom('a', '"', ',', ' ', "'", '=', 'ä', '🤖', '\\', '-'), maxLength: max })
        .map((each) => each.trim().slice(0, 30));
    const labels = fc.dictionary(fc.stringMatching(/^[a-z0-9_-]{1,32}$/), text(20), { maxKeys: 16, noNullPrototype: true });
    fc.assert(
      fc.property(fc.array(fc.record({ name: text(30), serial: text(20), labels }), { maxLength: 20 }), (robots) => {
        const rows = robots.map((robot, i) => ({ ...robot, id: `r-${String(i).padStart(10, '0')}` }));
        const read = robotsOfCsv(csvHeader + csvOfRobots(rows));
        assert.deepEqual(read.problems, []);
        assert.deepEqual(
          read.robots.map(({ id, name, serial, labels }) => ({ id, name, serial, labels: labelsText(labels!) })),
          rows.map(({ id, name, serial, labels }) => ({ id, name, serial, labels: labelsText(labels) })),
        );
      }),
    );
    assert.equal(
      csvHeader + csvOfRobots([{ id: 'r-1', name: 'a, "b"', serial: '', labels: labelsOf('a=1;b=2') }]),
      'id,name,serial,labels\nr-1,"a, ""b""",,a=1;b=2\n',
    );
  });
});
