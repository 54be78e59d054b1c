/** One operation of the reference: a line that opens. */
import { disclosure, element, inline, prose } from './element.js';
import { exampleList, fieldList, fieldsBelow, parameterList } from './fields.js';
import type { Components, Content, Header, Operation, Parameter, PathItem, Response } from './openapi.js';
import { typeOf } from './schema-words.js';

export interface ShownOperation {
  part: HTMLDetailsElement;
  fill: () => void;
}

/** @param path path of its address, or name of a webhook */
export function shownOperation(path: string, method: string, item: PathItem, operation: Operation, components: Components): ShownOperation {
  const { operationId, tags, summary = '', description, parameters = [], requestBody, responses } = operation;
  const heading = element(
    'h3',
    element(`span.docs-method.docs-${method}`, method.toUpperCase()),
    ' ',
    element('code.docs-path', path),
    ' ',
    element('span.docs-summary', ...inline(summary)),
  );
  const shown = disclosure('details.docs-operation', [heading], () => {
    const all = [...(item.parameters ?? []), ...parameters].map((each) => components.resolve<Parameter>(each));
    return [
      ...prose(description),
      ...(all.length === 0 ? [] : [element('h4', 'Parameters'), parameterList(all, components)]),
      ...(requestBody === undefined
        ? []
        : [element('h4', 'Request body'), ...prose(requestBody.description), ...contentParts(requestBody.content, components)]),
      element('h4', 'Responses'),
      ...Object.entries(responses).map(([status, each]) => responsePart(status, components.resolve<Response>(each), components)),
    ];
  });
  shown.part.id = idOf(tags[0]!, operationId);
  return shown;
}

export function idOf(tag: string, operationId: string): string {
  return `operations-${tag}-${operationId}`;
}

function responsePart(status: string, { description, headers = {}, content = {} }: Response, components: Components): HTMLElement {
  const summary = [element('code.docs-status', status), ' ', element('span', ...inline(description))];
  const { part, fill } = disclosure('details.docs-response', summary, () => {
    const fields = Object.entries(headers).map(([name, each]) => {
      const { required = false, ...header } = components.resolve<Header>(each);
      return { name, ...header, required };
    });
    return [...contentParts(content, components), ...(fields.length === 0 ? [] : [element('h5', 'Headers'), fieldList(fields, components)])];
  });
  if (status.startsWith('2')) {
    fill();
    part.open = true;
  }
  return part;
}

function contentParts(content: Content, components: Components): HTMLElement[] {
  return Object.entries(content).flatMap(([mediaType, { schema, example, examples }]) => {
    const values = examples === undefined ? (example === undefined ? [] : [example]) : Object.values(examples).map(({ value }) => value);
    const target = schema === undefined ? null : components.resolve(schema);
    const type = target === null || target.properties !== undefined || target.allOf !== undefined ? '' : ` ${typeOf(target, components)}`;
    return [
      element('p.docs-media', element('code', mediaType), type),
      ...(target === null ? [] : [...prose(target.description), ...fieldsBelow(target, components)]),
      ...exampleList(values),
    ];
  });
}
