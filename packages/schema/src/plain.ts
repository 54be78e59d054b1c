/** The nouns that are no schemas: what needs only these (a process that draws) starts without the library that schemas are made and compiled with. */
export { BadPicture } from './bad-picture.js';
export { chimeNames, type ChimeName } from './chime-names.js';
export { parseColor } from './color.js';
export { ApiError } from './error.js';
export { limits } from './limits.js';
export { isEmailAddress, nameProblem, robotName, serialProblem } from './person-text.js';
export * from './plain-text.js';
export * from './robot-labels.js';
export { StartRefused } from './start-refused.js';
