/** The AsyncAPI description as the project ships it, beside docs/robot-link.md. */
export const asyncApiFile = new URL('../../../../docs/robot-link.asyncapi.json', import.meta.url);
export const documentedHost = 'perch.example';
