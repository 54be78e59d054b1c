import type { Shown } from './body/screen.js';
import type { ReceivedCommand } from './commands/command-queue.js';

interface Summarized {
  readonly screen: { readonly card: Shown | null; readonly question: Shown | null };
  readonly commands: readonly ReceivedCommand[];
  readonly online: boolean;
  readonly dials: number;
  readonly playing: { readonly id: string } | null;
  readonly inputs: { readonly acked: number; readonly seq: number };
  readonly lastClosed: { readonly code: number } | null;
  readonly violations: readonly string[];
}

export function summaryOf({ screen, commands, online, dials, playing, inputs, lastClosed, violations }: Summarized): string {
  return JSON.stringify({
    online,
    dials,
    card: screen.card?.id ?? null,
    question: screen.question?.id ?? null,
    playing: playing?.id ?? null,
    inputs: `${inputs.acked}/${inputs.seq}`,
    last: commands.slice(-3).map(({ id, name, outcome }) => `${id} ${name} ${outcome}`),
    closed: lastClosed?.code ?? null,
    violations: violations.slice(-3),
  });
}
