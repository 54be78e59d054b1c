/** llms.txt (llmstxt.org): an introduction for language models with the base URL and one line per operation. */
import { openApiDocument } from '@perch/schema';

export function llmsTxt(baseUrl: string): string {
  const { info, tags = [], paths = {} } = openApiDocument(baseUrl);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'patch', 'delete'] as const).flatMap((method) => {
      const operation = item?.[method];
      if (operation === undefined) return [];
      const url = `${baseUrl}/openapi.json#/paths/${pointer(path)}/${method}`;
      return [{ tags: operation.tags, line: `- [${method.toUpperCase()} ${path}](${url}): ${operation.summary}` }];
    }),
  );
  return [
    `# ${info.title}`,
    `> ${info.summary} ${info.description}`,
    [
      `- Base URL: ${baseUrl}`,
      `- Key: \`Authorization: Bearer pk_...\`; a user creates one at ${baseUrl}/keys`,
      `- Tools: the same over MCP (streamable HTTP) at ${baseUrl}/mcp, with the same key`,
      '- ask, menu and clickmap hold the call open until a tap on the screen of the robot, or until the timeout',
    ].join('\n'),
    ...tags.map(({ name, description }) =>
      [`## ${name}: ${description}`, ...operations.filter((operation) => operation.tags?.includes(name)).map(({ line }) => line)].join('\n'),
    ),
    [
      '## Reference',
      `- [OpenAPI](${baseUrl}/openapi.json): the whole interface, with every argument, answer and error`,
      `- [For people](${baseUrl}/docs): the same, to read in a browser`,
      `- [MCP](${baseUrl}/mcp): the tools; needs a key`,
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

function pointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
