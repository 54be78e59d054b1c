import type { ScreenAnswer } from '@perch/schema';

/** The answers of the question on the screen as buttons, for people who do not see its picture. Pointers reach the screen beneath them. */
export function AnswerButtons({ answers, onTap }: { answers: readonly ScreenAnswer[]; onTap: (x: number, y: number) => void }) {
  return answers.map(({ name, x, y, w, h }, at) => {
    const tap = (): void => onTap(Math.floor(x + w / 2), Math.floor(y + h / 2));
    return (
      <rect
        key={at}
        className="screen-answer"
        role="button"
        tabIndex={0}
        aria-label={name}
        x={x}
        y={y}
        width={w}
        height={h}
        rx={6}
        onClick={tap}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          if (!event.repeat) tap();
        }}
      />
    );
  });
}
