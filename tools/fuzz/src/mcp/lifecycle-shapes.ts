import fc from 'fast-check';
import type { Shape } from '../http/shape.js';
import { accept, anything, messageShape, served, type Expected } from './expected.js';
import { newest } from './rpc.js';

const taken: Expected = { statuses: [202] };
const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };

export function initializations(): fc.Arbitrary<Shape> {
  const initialize = (changed: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: changed });
  const versions: unknown[] = [
    '2024-11-05',
    '2025-03-26',
    '2025-06-18',
    '2025-11-25',
    newest,
    '1999-01-01',
    '2099-12-31',
    '',
    'x'.repeat(50_000),
    '\u0000',
  ];
  const broken: unknown[] = [
    undefined,
    {},
    { ...hello, protocolVersion: 7 },
    { ...hello, capabilities: [] },
    { ...hello, clientInfo: 'x' },
    { ...hello, clientInfo: {} },
    { ...hello, protocolVersion: undefined },
  ];
  const odd: unknown[] = [
    { ...hello, capabilities: { roots: 7 } },
    { ...hello, clientInfo: { name: '', version: '' } },
    { ...hello, more: {} },
    { ...hello, capabilities: { experimental: { x: {} } } },
  ];
  return fc.oneof(
    fc
      .constantFrom(...versions)
      .map((protocolVersion) =>
        messageShape(`initialize, ${JSON.stringify(protocolVersion).slice(0, 20)}`, initialize({ ...hello, protocolVersion }), served),
      ),
    fc.constantFrom(...broken).map((changed) =>
      messageShape(`initialize, ${JSON.stringify(changed)}`, initialize(changed), {
        statuses: [200, 400],
        codes: [-32_602, -32_603, -32_600, -32_700],
      }),
    ),
    fc.constantFrom(...odd).map((changed) => messageShape(`initialize, ${JSON.stringify(changed)}`, initialize(changed), anything)),
    fc.constant(
      messageShape('initialize under the newest revision', initialize(hello), { statuses: [400], codes: [-32_020] }, [
        accept,
        `mcp-protocol-version: ${newest}`,
      ]),
    ),
  );
}

export function notifications(): fc.Arbitrary<Shape> {
  const methods = [
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/progress',
    'notifications/roots/list_changed',
    'notifications/no_such',
    'tools/list',
    'tools/call',
    '__proto__',
    '',
  ];
  const given: unknown[] = [
    undefined,
    {},
    { requestId: 1 },
    { requestId: 'no such', reason: 'x'.repeat(10_000) },
    { requestId: null },
    { requestId: {} },
    { requestId: 1.5 },
    { requestId: [] },
    { progressToken: 1, progress: 1 },
    { progressToken: {}, progress: 'x' },
    { _meta: {} },
  ];
  return fc
    .tuple(fc.constantFrom(...methods), fc.constantFrom(...given))
    .map(([method, changed]) =>
      messageShape(
        `the notification ${method}, ${JSON.stringify(changed)?.slice(0, 60)}`,
        JSON.stringify({ jsonrpc: '2.0', method, params: changed }),
        taken,
      ),
    );
}
