export const asyncApiFile = new URL('../../../../docs/robot-link.asyncapi.json', import.meta.url);
export const documentedHost = 'perch.example';
