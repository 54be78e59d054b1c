import { Loading } from './ui/shell/page.js';

/** In the place of every page, until it is known which it is. */
export function Waiting() {
  return (
    <main className="bare">
      <Loading label="Perch is loading" />
    </main>
  );
}
