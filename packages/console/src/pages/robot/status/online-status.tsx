import { useLiveStatus } from '../../../api/live/live.js';

/** @param online null while it is loading */
export function OnlineStatus({ online }: { online: boolean | null }) {
  const isLost = ['lost', 'crowded_out'].includes(useLiveStatus());
  if (online === null) return <span className="snapshot-status">Loading</span>;
  const text = online ? 'Online' : 'Offline';
  return (
    <span className="snapshot-status" data-online={(online && !isLost) || undefined}>
      {isLost ? `Last known: ${text.toLowerCase()}` : text}
    </span>
  );
}
