export { AckSchema, nackCodes, type Ack, type NackCode } from './ack.js';
export { asyncApiDocument, type AsyncApiDocument } from './asyncapi.js';
export * from './close-codes.js';
export * from './commands.js';
export * from './frame.js';
export * from './hello.js';
export { logText } from './fields.js';
export { InAckSchema, inputKinds, inputSchemas, type InAck, type Input, type InputKind, type InputOf, type UnreadableInput } from './input.js';
export * from './pairing.js';
export * from './parse.js';
export * from './report.js';

export const linkProtocol = 'perch-link.v1';
/** Carries a browser's token, because browsers cannot set headers of a WebSocket. */
export const linkTokenProtocolPrefix = 'bearer.';
export const linkPath = '/robot/v1/link';
/** The service's own 401 at the upgrade has this header: one without it is a portal's or a proxy's. */
export const linkRefusalHeader = 'perch-link';
export const linkRefusalPair = 'pair';
export const linkVersion = 1;
