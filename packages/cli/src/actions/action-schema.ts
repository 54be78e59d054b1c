/** The part of an action's JSON Schema from which its flags are generated. */

export interface ActionSchema {
  name: string;
  summary: string;
  description: string;
  waits: boolean;
  args: { properties: Record<string, ArgSchema>; required?: readonly string[]; [keyword: string]: unknown };
}

export interface ArgSchema {
  type?: string;
  description?: string;
  enum?: readonly string[];
  pattern?: string;
  contentMediaType?: string;
  items?: ArgSchema;
  properties?: Readonly<Record<string, ArgSchema>>;
  anyOf?: readonly ArgSchema[];
  /** Heading in the help; absent for usual arguments. */
  'x-group'?: string;
  'x-picker'?: string;
  [keyword: string]: unknown;
}
