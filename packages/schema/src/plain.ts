/** The nouns that are no schemas: what needs only these (a process that draws) starts without the library that schemas are made and compiled with. */
export { BadPicture } from './values/bad-picture.js';
export { chimeNames, type ChimeName } from './values/chime-names.js';
export { parseColor } from './values/color.js';
export { ApiError } from './api/error.js';
export { limits } from './api/limits.js';
export { isEmailAddress, nameProblem, robotName, serialProblem } from './validation/person-text.js';
export * from './validation/plain-text.js';
export * from './api/robot-labels.js';
export { StartRefused } from './internal/start-refused.js';
