/**
 * The paths of the web page. The gateway serves index.html for exactly these, and the types of the console's router
 * (packages/console/src/app.tsx) require an element for each. `:robot` is a robot's id.
 */
export const consolePaths = [
  '/',
  '/sign-in',
  '/sign-up',
  '/pair',
  '/robots',
  '/robots/:robot',
  '/virtual/:robot',
  '/keys',
  '/webhooks',
  '/account',
] as const;

export type ConsolePath = (typeof consolePaths)[number];
