import { Loading } from './ui/shell/page.js';

/** Shown until the session and the page are loaded. */
export function Waiting() {
  return (
    <main className="bare">
      <Loading label="Loading Perch" />
    </main>
  );
}
