/** The gateway serves index.html for exactly these, and packages/console/src/app.tsx must have an element for each. */
export const consolePaths = [
  '/',
  '/sign-in',
  '/sign-up',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/pair',
  '/robots',
  '/robots/:robot',
  '/robots/:robot/settings',
  '/share',
  '/virtual/:robot',
  '/keys',
  '/authorize',
  '/webhooks',
  '/activity',
  '/account',
  '/access',
  '/account/deleted',
] as const;

export type ConsolePath = (typeof consolePaths)[number];
