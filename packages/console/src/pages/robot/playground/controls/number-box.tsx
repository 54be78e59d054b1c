/** Number input of a region: keeps the text as typed and reports it once it is a number. */
import { useState } from 'react';

export function NumberBox({ label, value, onChange }: { label: string; value: number; onChange(value: number): void }) {
  const [text, setText] = useState(String(value));
  const stands = text.trim() !== '' && Number(text) === value;
  return (
    <label className="number-box">
      <span aria-hidden="true">{label.split(' ').at(-1)}</span>
      <input
        aria-label={label}
        inputMode="decimal"
        value={stands || Number.isNaN(Number(text)) || text.trim() === '' ? text : String(value)}
        onChange={({ target }) => {
          setText(target.value);
          const next = Number(target.value);
          if (target.value.trim() !== '' && Number.isFinite(next)) onChange(next);
        }}
        onBlur={() => setText(String(value))}
      />
    </label>
  );
}
