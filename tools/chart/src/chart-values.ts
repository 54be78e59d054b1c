import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';

export type Values = { [name: string]: unknown };

/** By the schema, or by a template that calls `fail`. */
export class ChartError extends Error {
  override readonly name = 'ChartError';
}

/** Objects are merged, everything else is replaced; null removes a default. @throws {ChartError} naming each value that values.schema.json rejects */
export function checkedValues(chart: string, own: Values): Values {
  const values = merged(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Values, own);
  const validate = validatorOf(readFileSync(join(chart, 'values.schema.json'), 'utf8'));
  if (!validate(values)) {
    throw new ChartError(
      `values that the chart refuses:\n${[...new Set((validate.errors ?? []).map(sentenceOf))].map((line) => `  ${line}`).join('\n')}`,
    );
  }
  return values;
}

const validators = new Map<string, ValidateFunction>();

/** Compiling the schema takes longer than rendering the chart. */
function validatorOf(schema: string): ValidateFunction {
  let found = validators.get(schema);
  if (found === undefined) {
    const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
    validators.set(schema, (found = ajv.compile(JSON.parse(schema) as object)));
  }
  return found;
}

/** As `--set` names it: `gateway.replicas: must be >= 1`. */
function sentenceOf({ instancePath, message, params }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const name = (params['additionalProperty'] ?? params['propertyName']) as string | undefined;
  const at = name === undefined ? path : [path, name].filter(Boolean).join('.');
  return `${at === '' ? 'values' : at}: ${message ?? 'is refused'}`;
}

function merged(defaults: Values, own: Values): Values {
  const all: Values = { ...defaults };
  for (const [name, value] of Object.entries(own)) {
    const below = defaults[name];
    if (value === null && below !== null) delete all[name];
    else all[name] = isObject(below) && isObject(value) ? merged(below, value) : value;
  }
  return all;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
