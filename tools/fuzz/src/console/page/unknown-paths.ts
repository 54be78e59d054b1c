import fc from 'fast-check';
import { hostileSegments } from '../../http/hostile-segments.js';
import { placeholders } from '../requests/placeholders.js';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'TRACE', 'QUERY', 'M-SEARCH'];
const segments = [...hostileSegments, '\\', 'toString', 'CONSOLE', 'v1', 'V1', 'v2', 'console', 'mcp', 'metrics', 'admin', 'x'.repeat(3000)];

export const anyMethod: fc.Arbitrary<string> = fc.constantFrom(...methods);

export function anyPath(known: readonly string[]): fc.Arbitrary<string> {
  const ids = known.map((path) => path.replace('{robot}', placeholders.virtualRobot).replace('{key}', placeholders.foreignKey));
  const parts = [...new Set(ids.flatMap((path) => path.split('/')))];
  const made = fc.array(fc.constantFrom(...segments, ...parts), { maxLength: 5 }).map((all) => `/console/${all.join('/')}`);
  const bent = fc
    .tuple(fc.constantFrom(...ids), fc.constantFrom('/', '//', '/.', '/..', '%20', '%00', '?', '#', ';', '.json', '/x', '%2f', ' '))
    .map(([path, more]) => `/console/${path}${more}`);
  const ahead = fc
    .tuple(
      fc.constantFrom(...ids),
      fc.constantFrom(
        '/console//',
        '//console/',
        '/console/./',
        '/v1/../console/',
        '/assets/../console/',
        '/CONSOLE/',
        '/console%2f',
        '/con%73ole/',
        '/console/v1/../',
      ),
    )
    .map(([path, before]) => `${before}${path}`);
  return fc.oneof(
    fc.constantFrom(...ids).map((path) => `/console/${path}`),
    made,
    bent,
    ahead,
  );
}
