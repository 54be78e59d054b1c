import { sameField } from '../../answer-problems.js';

export interface End {
  status: number;
  code?: string;
  /** '' means none. If unset: any. */
  fields?: readonly string[];
}

export const done: readonly End[] = [{ status: 200 }];
export const forbidden: End = { status: 403, code: 'forbidden' };
export const signedOut: End = { status: 401, code: 'signed_out' };
export const notFound: End = { status: 404 };

export function wrong(...fields: readonly string[]): End {
  return { status: 400, code: 'bad_argument', fields };
}

export function endProblem(ends: readonly End[], status: number, body: Readonly<Record<string, unknown>> | null): string | null {
  const code = typeof body?.['code'] === 'string' ? body['code'] : undefined;
  const field = typeof body?.['field'] === 'string' ? body['field'] : undefined;
  const alike = ends.filter((end) => end.status === status && (end.code === undefined || body === null || end.code === code));
  if (alike.some(({ fields }) => fields === undefined || body === null || fieldFits(fields, field))) return null;
  const expected = ends.map(({ status: wanted, code: of = '', fields = [] }) =>
    [wanted, of, fields.slice(0, 5).join('|')].filter((part) => part !== '').join(' '),
  );
  return `ended with ${[status, code, field === undefined ? undefined : `for ${field}`].filter((part) => part !== undefined).join(' ')}, not with ${expected.join(', or ')}`;
}

function fieldFits(fields: readonly string[], told: string | undefined): boolean {
  return told === undefined ? fields.includes('') : fields.some((wanted) => wanted !== '' && (told === wanted || sameField(told, wanted)));
}
