/** Requests to a route, with their expected results if the sender has access. */
import fc from 'fast-check';
import { changedBodies } from '../../generate/bodies.js';
import { jsonText, withAt } from '../../generate/json.js';
import { arbitraryOf, bodyOf, subjectOf, type Subject } from '../../generate/subjects.js';
import { bodyBytesMax, type BodyKind } from './body-kind.js';
import { wrong, type End } from './expected-results.js';

export interface Draft {
  what: string;
  method: string;
  path: string;
  headers: readonly string[];
  body: Buffer | null;
  ends: readonly End[];
}

export interface DraftBody {
  what: string;
  bytes: Buffer;
  headers: readonly string[];
  ends: readonly End[];
}

const json = 'content-type: application/json';
const notJson: End = { status: 415, code: 'not_json' };
const tooLarge: End = { status: 413, code: 'body_too_large' };
const malformed: End = { status: 400, code: 'malformed_json' };

export function endsOfBytes(bytes: Buffer, { endsOf }: Pick<BodyKind, 'endsOf'>): readonly End[] {
  if (bytes.length > bodyBytesMax) return [tooLarge];
  if (bytes.length === 0) return [wrong('')];
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return [malformed];
  try {
    return endsOf(JSON.parse(text));
  } catch {
    return [malformed];
  }
}

export function bodiesOf(kind: BodyKind): fc.Arbitrary<DraftBody> {
  const subject = probed(subjectOf(kind.served), kind);
  const texts = subject.bases.map(({ body }) => jsonText(body));
  const as = (what: string, bytes: Buffer, headers: readonly string[] = [json]): DraftBody => ({
    what,
    bytes,
    headers,
    ends: endsOfBytes(bytes, kind),
  });
  const argument = arbitraryOf([subject]).map((sent) => {
    const { text, what } = bodyOf([subject], sent);
    return as(what, Buffer.from(text));
  });
  const bytes = changedBodies(texts).map((changed) => as(changed.what, changed.bytes));
  const types = fc
    .tuple(
      fc.constantFrom(...texts),
      fc.constantFrom(
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/json',
        '*/*',
        '',
        'application/json; charset=latin1',
        'application/jsonp',
      ),
    )
    .map(([text, type]): DraftBody => ({ what: `as ${type}`, bytes: Buffer.from(text), headers: [`content-type: ${type}`], ends: [notJson] }));
  const untyped = fc
    .constantFrom(...texts)
    .map((text): DraftBody => ({ what: 'without a type', bytes: Buffer.from(text), headers: [], ends: [notJson] }));
  const packed = fc.constantFrom('gzip', 'br', 'x').map((encoding): DraftBody => ({
    what: `as ${encoding}`,
    bytes: Buffer.from(texts[0]!),
    headers: [json, `content-encoding: ${encoding}`],
    ends: [notJson],
  }));
  const sized = fc
    .tuple(fc.constantFrom(...texts), fc.constantFrom(-1, 0, 1, 5000, 100_000))
    .map(([text, more]) => as(`of ${bodyBytesMax + more} bytes`, Buffer.from(text.padEnd(bodyBytesMax + more))));
  return fc.oneof(
    { weight: 12, arbitrary: argument },
    { weight: 4, arbitrary: bytes },
    { weight: 1, arbitrary: types },
    { weight: 1, arbitrary: untyped },
    { weight: 1, arbitrary: packed },
    { weight: 1, arbitrary: sized },
  );
}

function probed(subject: Subject, { probes }: BodyKind): Subject {
  const more = Object.entries(probes).flatMap(([argument, all]) =>
    all.map(({ what, value }) => ({ what: `${argument}: ${what}`, change: (body: unknown) => withAt(body, [argument], value) })),
  );
  return { ...subject, bases: subject.bases.map(({ body, mutants }) => ({ body, mutants: [...mutants, ...more] })) };
}
