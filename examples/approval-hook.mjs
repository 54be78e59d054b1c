/** The approval hook of plugins/perch for a hook with a `timeout` of 60 s: it asks for 50 s, unless PERCH_ASK_SECONDS says otherwise. */
import process from 'node:process';

process.env.PERCH_ASK_SECONDS ??= '50';
await import('../plugins/perch/hooks/approval-hook.mjs');
