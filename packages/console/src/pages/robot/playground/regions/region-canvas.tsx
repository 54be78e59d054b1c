/**
 * Draws, moves and reshapes regions over the robot's screen with the pointer; arrow keys move the focused region. With a shape as its tool, a drag draws
 * wherever it begins, also inside a region, and a click selects the region under it.
 */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { drawn, freeId, handles, moved, onScreen, type Point, pulled, type Region, screen, type Tool, toolOf } from './region.js';
import { Outline, Shape } from './region-shape.js';

interface Props {
  regions: readonly Region[];
  selected: number | null;
  tool: Tool | 'move';
  corners: readonly Point[];
  isFull: boolean;
  pointsMax: number;
  onChange(regions: Region[]): void;
  onSelect(at: number | null): void;
  onCorners(corners: Point[]): void;
}

type Gesture =
  | { kind: 'draw'; tool: 'rect' | 'circle'; from: Point; to: Point; over: number | null }
  | { kind: 'move'; at: number; from: Point; before: Region }
  | { kind: 'pull'; at: number; handle: number };

/** Screen pixels from the first corner, within which a click closes a polygon. */
const closeWithin = 10;

const arrows: Readonly<Record<string, Point>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function RegionCanvas({ regions, selected, tool, corners, isFull, pointsMax, onChange, onSelect, onCorners }: Props) {
  const canvas = useRef<SVGSVGElement>(null);
  const [gesture, setGesture] = useState<Gesture | null>(null);
  const pointOf = (event: PointerEvent): Point => onScreen(event, canvas.current!.getBoundingClientRect());
  const replace = (at: number, region: Region): void => onChange(regions.map((each, i) => (i === at ? region : each)));

  function begin(event: PointerEvent, next: Gesture): void {
    event.stopPropagation();
    canvas.current!.setPointerCapture(event.pointerId);
    setGesture(next);
  }

  /** @param over the region under the pointer, or null */
  function press(event: PointerEvent, over: number | null): void {
    if (event.button !== 0) return;
    const point = pointOf(event);
    if (over !== null && (tool === 'move' || isFull)) {
      onSelect(over);
      return begin(event, { kind: 'move', at: over, from: point, before: regions[over]! });
    }
    if (tool === 'move' || isFull) return;
    if (tool !== 'polygon') return begin(event, { kind: 'draw', tool, from: point, to: point, over });
    event.stopPropagation();
    const [first] = corners;
    const closes = first !== undefined && corners.length >= 3 && Math.hypot(point[0] - first[0], point[1] - first[1]) <= closeWithin;
    if (!closes) return corners.length < pointsMax ? onCorners([...corners, point]) : undefined;
    onChange([...regions, { id: freeId(regions), polygon: [...corners] }]);
    onSelect(regions.length);
    onCorners([]);
  }

  function drag(event: PointerEvent): void {
    if (gesture === null) return;
    const point = pointOf(event);
    if (gesture.kind === 'draw') setGesture({ ...gesture, to: point });
    else if (gesture.kind === 'move') replace(gesture.at, moved(gesture.before, point[0] - gesture.from[0], point[1] - gesture.from[1]));
    else replace(gesture.at, pulled(regions[gesture.at]!, gesture.handle, point));
  }

  function release(): void {
    if (gesture?.kind === 'draw') {
      const region = drawn(gesture.tool, freeId(regions), gesture.from, gesture.to);
      if (region !== null) {
        onChange([...regions, region]);
        onSelect(regions.length);
      } else if (gesture.over !== null) onSelect(gesture.over);
    }
    setGesture(null);
  }

  function key(event: KeyboardEvent, at: number): void {
    const step = arrows[event.key];
    if (step !== undefined) {
      const far = event.shiftKey ? 10 : 1;
      replace(at, moved(regions[at]!, step[0] * far, step[1] * far));
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      onChange(regions.filter((_, i) => i !== at));
      onSelect(null);
    } else if (event.key === 'Enter' || event.key === ' ') onSelect(at);
    else return;
    event.preventDefault();
  }

  const rough = gesture?.kind === 'draw' ? drawn(gesture.tool, 'new', gesture.from, gesture.to) : null;
  return (
    <svg
      ref={canvas}
      className="region-canvas"
      role="group"
      aria-label="Regions over the screen"
      viewBox={`0 0 ${screen.w} ${screen.h}`}
      data-moves={tool === 'move' || undefined}
      onPointerDown={(event) => press(event, null)}
      // Drawing over a region must not focus it, or Delete would remove it instead of the new one.
      onMouseDown={(event) => tool !== 'move' && event.preventDefault()}
      onPointerMove={drag}
      onPointerUp={release}
      onPointerCancel={() => setGesture(null)}
    >
      {regions.map((region, at) => (
        <g
          key={at}
          role="button"
          tabIndex={0}
          aria-pressed={selected === at}
          aria-label={`${region.id || 'no id'}: ${toolOf(region)}. Arrow keys move it, Delete removes it.`}
          className="region"
          onFocus={() => onSelect(at)}
          onKeyDown={(event) => key(event, at)}
          onPointerDown={(event) => press(event, at)}
        >
          <Shape region={region} />
        </g>
      ))}
      {selected !== null &&
        regions[selected] !== undefined &&
        handles(regions[selected]).map(([x, y], handle) => (
          <circle
            key={handle}
            className="region-handle"
            cx={x}
            cy={y}
            r={5}
            onPointerDown={(event) => begin(event, { kind: 'pull', at: selected, handle })}
          />
        ))}
      {rough !== null && <Outline region={rough} className="region-rough" />}
      {corners.length > 0 && <Corners corners={corners} />}
    </svg>
  );
}

function Corners({ corners }: { corners: readonly Point[] }) {
  return (
    <g className="region-rough">
      <polyline points={corners.map((point) => point.join(',')).join(' ')} fill="none" />
      {corners.map(([x, y], at) => (
        <circle key={at} cx={x} cy={y} r={at === 0 ? 6 : 3} />
      ))}
    </g>
  );
}
