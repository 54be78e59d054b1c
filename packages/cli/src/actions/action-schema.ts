/** The part of an action's JSON Schema that its flags are made from. */

export interface ActionSchema {
  name: string;
  summary: string;
  description: string;
  /** Held open for a person's tap. */
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
