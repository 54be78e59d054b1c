/** What a language model reads first (llmstxt.org): what Perch is, where it answers, and everything it does with a line each. Made from the schema. */
import { openApiDocument } from '@perch/schema';

/** @param baseUrl without a slash at its end @returns Markdown */
export function llmsTxt(baseUrl: string): string {
  const { info, tags = [], paths = {} } = openApiDocument(baseUrl);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const operation = item?.[method];
      if (operation === undefined) return [];
      const place = `${baseUrl}/openapi.json#/paths/${pointer(path)}/${method}`;
      return [{ tags: operation.tags, line: `- [${method.toUpperCase()} ${path}](${place}): ${operation.summary}` }];
    }),
  );
  return [
    `# ${info.title}`,
    `> ${info.summary} ${info.description}`,
    [
      `- Base address: ${baseUrl}`,
      `- Key: \`Authorization: Bearer pk_...\`; a person makes one at ${baseUrl}/keys`,
      `- Tools: the same over MCP (streamable HTTP) at ${baseUrl}/mcp, with the same key`,
      '- ask, menu and clickmap hold the call open until the person at the robot taps, or the time is over',
    ].join('\n'),
    ...tags.map(({ name, description }) =>
      [`## ${name}: ${description}`, ...operations.filter((operation) => operation.tags?.includes(name)).map(({ line }) => line)].join('\n'),
    ),
    [
      '## Reference',
      `- [OpenAPI](${baseUrl}/openapi.json): the whole interface, with every argument, answer and error`,
      `- [For people](${baseUrl}/docs): the same to read`,
      `- [MCP](${baseUrl}/mcp): the tools; needs a key`,
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

/** A key as a segment of a JSON pointer in a URL. */
function pointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
