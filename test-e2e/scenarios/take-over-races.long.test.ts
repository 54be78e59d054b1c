import { onTakeOverRaces } from '../fixture/robots/take-over-races.js';

const isLonger = process.env['PERCH_TEST_LONG'] === '1';

onTakeOverRaces(
  isLonger
    ? { robots: 60, asked: 16, forMs: 60_000, cutsLeast: 10_000, answersLeast: 500 }
    : { robots: 40, asked: 16, forMs: 9000, cutsLeast: 1000, answersLeast: 50 },
);
