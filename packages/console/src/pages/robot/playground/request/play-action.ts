import type { JsonSchema } from '../controls/schema-fields.js';

export interface PlayAction {
  name: string;
  summary: string;
  description: string;
  arguments: JsonSchema;
}
