import assert from 'node:assert/strict';
import { openApiDocument } from '@perch/schema';
import { Components, methods, type OpenApi, type Operation, type PathItem } from '../../src/docs/openapi.js';
import { shownOperation } from '../../src/docs/operation.js';
import { textOf } from './page-text.js';

type Part = Record<string, unknown>;

/** Keywords that the page shows in other words, and in which parts of the document it does. */
const saidOtherwise: Record<string, (part: Part) => boolean> = {
  // Shown by the fields, the items or the values themselves.
  type: (part) => ['properties', 'enum', 'const', 'allOf'].some((keyword) => keyword in part),
  // The discriminator's property has these values in the alternatives.
  mapping: () => true,
  // How a list is written in a query, as its example and description show.
  style: () => true,
  explode: () => true,
  // A parameter is optional unless it says otherwise.
  required: ({ required }) => required === false,
};
const namesOfSchemas = new Set(['properties', 'patternProperties', '$defs']);
const values = new Set(['example', 'examples', 'const', 'enum', 'required', 'mapping']);

describe('the reference at /docs', () => {
  it('shows every keyword of every schema, parameter and header of the OpenAPI document', function () {
    // The page is read once for each of a thousand keywords.
    this.timeout(300_000);
    assert.deepEqual(notShown(readDocument()), []);
  });

  it('is missing a keyword that the page does not know', () => {
    const document = readDocument();
    Object.assign(document.components['schemas']!['Region']!, { uniqueItems: true });
    assert.deepEqual(notShown(document, 'components/schemas/Region'), ['uniqueItems at components/schemas/Region']);
  });
});

function readDocument(): OpenApi {
  return structuredClone(openApiDocument('https://robots.test')) as unknown as OpenApi;
}

/** Returns the keywords without which the page reads the same, each with its place. */
function notShown(document: OpenApi, named = ''): string[] {
  const components = new Components(document);
  const shown = partsOf(document).map(({ place, path, method, item, operation }) => {
    const read = (): string =>
      textOf(() => {
        const { part, fill } = shownOperation(path, method, item, operation, components);
        fill();
        return part;
      });
    return { place, operation, read, text: read(), refers: referredBy([item, operation], document) };
  });
  const owners = [
    ...shown.map((each) => ({ place: each.place, part: each.operation as unknown, shownBy: [each] })),
    ...Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, byName]) => Object.entries(byName).map(([name, part]) => ({ place: `components/${kind}/${name}`, part })))
      .map((owner) => ({ ...owner, shownBy: shown.filter(({ refers }) => refers.has(owner.place)).toSorted(shorterFirst) })),
  ].filter(({ place }) => place.startsWith(named));
  return owners.flatMap(({ place, part, shownBy }) =>
    keywordsIn(part, place).flatMap(({ holder, keyword, at }) => {
      if (saidOtherwise[keyword]?.(holder) === true) return [];
      const { [keyword]: value } = holder;
      delete holder[keyword];
      const isShown = shownBy.some(({ read, text }) => read() !== text);
      holder[keyword] = value;
      return isShown ? [] : [`${keyword} at ${at}`];
    }),
  );
}

function shorterFirst(one: { text: string }, other: { text: string }): number {
  return one.text.length - other.text.length;
}

/** Returns each request alone and each response alone, since a whole operation has so many errors that reading it often takes long. */
function partsOf({ paths, webhooks }: OpenApi) {
  return Object.entries({ ...paths, ...webhooks }).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const { [method]: operation } = item;
      if (operation === undefined) return [];
      const { operationId, tags, responses } = operation;
      const parts: [string, PathItem, Operation][] = [
        ['request', item.parameters === undefined ? {} : { parameters: item.parameters }, { ...operation, responses: {} }],
        ...Object.entries(responses).map(([status, response]): [string, PathItem, Operation] => [
          status,
          {},
          { operationId, tags, responses: { [status]: response } },
        ]),
      ];
      return parts.map(([name, shared, part]) => ({ place: `${method} ${path} ${name}`, path, method, item: shared, operation: part }));
    }),
  );
}

/** Returns the places of all components to which a part refers, through others, too. */
function referredBy(part: unknown, { components }: OpenApi, found = new Set<string>()): Set<string> {
  for (const [, path] of JSON.stringify(part).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    if (found.has(path!)) continue;
    found.add(path!);
    const [, kind, name] = path!.split('/');
    referredBy(components[kind!]![name!], { components } as OpenApi, found);
  }
  return found;
}

interface Keyword {
  holder: Part;
  keyword: string;
  at: string;
}

/** Returns the keywords of the schemas, parameters and headers in a part of the document. */
function keywordsIn(part: unknown, at: string, isSchema = at.startsWith('components/schemas')): Keyword[] {
  if (typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((each, index) => keywordsIn(each, `${at}/${index}`, isSchema));
  const holder = part as Part;
  // Parameters and headers are what has a schema and no examples by name, which contents of requests have.
  const hasKeywords = isSchema || ('schema' in holder && ('description' in holder || 'in' in holder));
  return Object.entries(holder).flatMap(([keyword, value]) => [
    ...(hasKeywords && !['$ref', 'schema', 'name', 'in'].includes(keyword) ? [{ holder, keyword, at }] : []),
    ...(values.has(keyword)
      ? []
      : namesOfSchemas.has(keyword)
        ? Object.entries(value as Part).flatMap(([name, each]) => keywordsIn(each, `${at}/${name}`, true))
        : keywordsIn(value, `${at}/${keyword}`, isSchema || keyword === 'schema')),
  ]);
}
