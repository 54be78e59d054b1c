import type { ConsoleKey } from '@perch/schema';
import { useState } from 'react';
import { useEndFormerSecret } from '../../api/keys.js';
import { Button } from '../../ui/controls/button.js';
import { Confirm } from '../../ui/dialog/dialog.js';
import { timeOf } from '../../ui/time/time.js';

/** @param until RFC 3339 */
export function FormerSecret({ apiKey: { id, name }, until }: { apiKey: ConsoleKey; until: string }) {
  const end = useEndFormerSecret(id);
  const [asking, setAsking] = useState(false);
  const whose = name || 'this key';
  return (
    <div>
      The old secret works until {timeOf(until)}
      <div>
        <Button small look="quiet" aria-label={`End the old secret now: ${whose}`} onPress={() => setAsking(true)}>
          End the old secret now
        </Button>
      </div>
      <Confirm
        title={`End the old secret of ${whose}?`}
        action="End old secret"
        isOpen={asking}
        isPending={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <p>Requests with the old secret are rejected within a second. The new one keeps working.</p>
      </Confirm>
    </div>
  );
}
