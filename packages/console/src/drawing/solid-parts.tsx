import type { CSSProperties } from 'react';
import { cap, sides, type Block, type Viewer } from './solid.js';

export function Solid({ block, viewer, color }: { block: Block; viewer: Viewer; /** A CSS colour. */ color: string }) {
  const end = cap(viewer, block);
  return (
    <>
      {sides(viewer, block).map(({ points, light }, index) => (
        <polygon key={index} className="solid" points={points} style={shade(color, light)} />
      ))}
      <polygon className="solid" points={end.points} style={shade(color, end.light)} />
    </>
  );
}

function shade(color: string, light: number): CSSProperties {
  const fill = `color-mix(in oklab, ${color}, var(--robot-shade) ${Math.round(Math.max(0, 0.82 - light) * 64)}%)`;
  return { fill, stroke: fill };
}
