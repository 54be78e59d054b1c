import type { CSSProperties, ReactNode } from 'react';
import { cap, sides, type Block, type Viewer } from './solid.js';

export function Solid({
  block,
  viewer,
  color,
  children,
}: {
  block: Block;
  viewer: Viewer;
  /** A CSS colour. */ color: string;
  children?: ReactNode;
}) {
  const end = cap(viewer, block);
  return (
    <>
      {sides(viewer, block).map(({ points, light }, index) => (
        <polygon key={index} className="solid" points={points} style={shade(color, light)} />
      ))}
      <polygon className="solid" points={end.points} style={shade(color, end.light)} />
      {children}
    </>
  );
}

function shade(color: string, light: number): CSSProperties {
  const fill = `color-mix(in oklab, ${color}, var(--robot-shade) ${Math.round(Math.max(0, 0.82 - light) * 64)}%)`;
  return { fill, stroke: fill };
}
