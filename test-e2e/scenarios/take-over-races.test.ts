import { onTakeOverRaces } from '../fixture/robots/take-over-races.js';

/** With a tenth of the cuts of take-over-races.long.test.ts. */
onTakeOverRaces({ robots: 12, asked: 6, forMs: 1000, cutsLeast: 100, answersLeast: 10 });
