/** Larger young and old generations: a process's own garbage collection would delay calls and taps by up to 400 ms. */
export const programsProcess = ['--max-semi-space-size=64', '--initial-old-space-size=1000'];
export const robotsProcess = ['--max-semi-space-size=64', '--initial-old-space-size=2000'];
