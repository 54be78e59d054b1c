/** A process that needs only these (the renderer) starts without loading the schema libraries. */
export { ApiError, BadPicture, StartRefused } from './base/error.js';
export { isObject } from './base/is-object.js';
export { limits } from './base/limits.js';
export * from './base/plain-text.js';
export { chimeNames, type ChimeName } from './values/chime-names.js';
export { parseColor } from './values/color.js';
export { firstInk, hasInk } from './values/ink.js';
export { foreignFormat, pictureFormat, pictureSize, type PictureFormat } from './values/picture-format.js';
export * from './values/robot-settings.js';
export * from './values/robot-update.js';
export * from './robots/robot-labels.js';
export * from './api/key-scope.js';
