import type { OpenAPIV3_1 } from 'openapi-types';
import type { TSchema } from 'typebox';
import { EventSchema, eventSchemas, type EventName } from '../event.js';

/** They allow additional properties, because webhook messages add the robot to an event. */
export const eventComponents: [name: string, schema: TSchema][] = eventSchemas.map(([name, schema]) => [
  componentOf(name),
  { ...schema, additionalProperties: true },
]);

export const eventUnion: OpenAPIV3_1.SchemaObject = {
  description: (EventSchema as { description?: string }).description ?? '',
  oneOf: eventComponents.map(([name]) => ({ $ref: refOf(name) })),
  discriminator: {
    propertyName: 'name',
    mapping: Object.fromEntries(eventSchemas.map(([name]) => [name, refOf(componentOf(name))])),
  },
};

function componentOf(name: EventName): string {
  return `${name.replace(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}Event`;
}

function refOf(component: string): string {
  return `#/components/schemas/${component}`;
}
