/** The part of an action's JSON Schema from which its flags are generated. */

export interface ActionSchema {
  name: string;
  summary: string;
  description: string;
  /** Whether the request stays open until a person taps. */
  waits: boolean;
  args: { properties: Record<string, ArgSchema>; required?: readonly string[]; [keyword: string]: unknown };
}

export interface ArgSchema {
  type?: string;
  description?: string;
  enum?: readonly string[];
  pattern?: string;
  contentEncoding?: string;
  items?: ArgSchema;
  [keyword: string]: unknown;
}
