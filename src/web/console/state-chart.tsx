import type { StateChart as Chart } from '../../client/index.js';
import { fill } from '../../languages/say.js';
import { say } from './text.js';

const BOX = { width: 132, height: 34 };
const GAP = { x: 250, y: 56 };
const MARGIN = 12;
/** Room above the states for what leads back to an earlier column, per column. */
const ARC = 26;

interface Place {
  readonly x: number;
  readonly y: number;
}

interface Props {
  readonly chart: Chart;
  /** Is lit. */
  readonly current?: string;
  /** How many actors are in each state. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** A machine drawn from its own definition: states in columns by their distance from the first one. */
export function StateChart({ chart, current, counts = {} }: Props) {
  const places = placesOf(chart);
  const arrows = arrowsOf(chart);
  const heights = arrows.map(({ from, to }) => arcHeight(places.get(from)!, places.get(to)!));
  const top = Math.max(0, ...heights);
  for (const [name, { x, y }] of places) places.set(name, { x, y: y + top });
  const width = Math.max(...[...places.values()].map(({ x }) => x)) + BOX.width + 2 * MARGIN;
  const height = Math.max(...[...places.values()].map(({ y }) => y)) + BOX.height + 2 * MARGIN;
  const id = `arrow-${chart.machine}`;
  return (
    <figure class="machine" tabIndex={0}>
      <figcaption>{chart.machine}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
        role="img"
        aria-label={described(chart, current)}
      >
        <defs>
          <marker
            id={id}
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" class="head" />
          </marker>
        </defs>
        {arrows.map(({ from, to, label }, index) => {
          const a = places.get(from)!;
          const b = places.get(to)!;
          const [x1, y1] = [a.x + BOX.width + MARGIN, a.y + BOX.height / 2 + MARGIN];
          const [x2, y2] = [b.x + MARGIN, b.y + BOX.height / 2 + MARGIN];
          const height = heights[index]!;
          if (height > 0) {
            const [ax, bx] = [a.x + MARGIN + BOX.width / 2 - 14, b.x + MARGIN + BOX.width / 2 + 14];
            const [ay, by] = [a.y + MARGIN, b.y + MARGIN];
            const peak = Math.min(ay, by) - height;
            return (
              <g key={`${from} ${to}`}>
                <path
                  d={`M${ax} ${ay}C${ax} ${peak} ${bx} ${peak} ${bx} ${by}`}
                  class="arrow"
                  marker-end={`url(#${id})`}
                />
                <text
                  x={(ax + bx) / 2}
                  y={peak + height / 4 - 4}
                  class="event"
                  text-anchor="middle"
                >
                  {label}
                </text>
              </g>
            );
          }
          // Within a column down on the right and up on the left; also what leads back.
          const isBack = b.x <= a.x;
          const side = b.y > a.y ? 1 : -1;
          const [x, above, below] = [
            x1 - BOX.width / 2 + 14 * side,
            BOX.height / 2,
            -BOX.height / 2,
          ];
          const path = isBack
            ? `M${x} ${y1 + side * above}L${x2 + BOX.width / 2 + 14 * side} ${y2 + side * below}`
            : `M${x1} ${y1}L${x2} ${y2}`;
          return (
            <g key={`${from} ${to}`}>
              <path d={path} class="arrow" marker-end={`url(#${id})`} />
              <text
                x={isBack ? x + 6 * side : x1 + (x2 - x1) * 0.55}
                y={isBack ? (y1 + y2) / 2 + 4 : y1 + (y2 - y1) * 0.55 - 4}
                class="event"
                text-anchor={!isBack ? 'middle' : side > 0 ? 'start' : 'end'}
              >
                {label}
              </text>
            </g>
          );
        })}
        {chart.states.map(({ state_name: name, is_final }) => {
          const { x, y } = places.get(name)!;
          const kind = `state ${is_final ? 'final' : ''} ${name === current ? 'current' : ''}`;
          const count = counts[name];
          return (
            <g key={name} class={kind} data-state={name}>
              <rect
                x={x + MARGIN}
                y={y + MARGIN}
                width={BOX.width}
                height={BOX.height}
                rx={is_final ? 17 : 6}
              />
              <text x={x + MARGIN + BOX.width / 2} y={y + MARGIN + 22} text-anchor="middle">
                {name}
                {count === undefined ? '' : ` (${count})`}
              </text>
            </g>
          );
        })}
      </svg>
      {selfLoops(chart).map(({ name, events }) => (
        <p key={name} class="loops">
          {fill(say, 'machine.loops', { state: <b>{name}</b> }, { events: events.join(', ') })}
        </p>
      ))}
    </figure>
  );
}

/** How high an arrow to an earlier column rises, so that it passes no state between; 0 where it goes down. */
function arcHeight(a: Place, b: Place): number {
  return b.x < a.x && b.y <= a.y ? ARC + (ARC / 2) * ((a.x - b.x) / GAP.x) : 0;
}

/** Columns by the least number of events from the first state. */
function placesOf({ initial_state: initial, states }: Chart): Map<string, Place> {
  const depth = new Map([[initial, 0]]);
  for (const name of depth.keys()) {
    for (const { target } of states.find(({ state_name }) => state_name === name)?.transitions ??
      []) {
      if (!depth.has(target)) depth.set(target, depth.get(name)! + 1);
    }
  }
  const rows = new Map<number, number>();
  const places = new Map<string, Place>();
  for (const { state_name: name } of states) {
    const column = depth.get(name) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    places.set(name, { x: column * GAP.x, y: row * GAP.y });
  }
  return places;
}

/** One arrow for all events that lead from one state to another. */
function arrowsOf({ states }: Chart): { from: string; to: string; label: string }[] {
  const arrows = new Map<string, { from: string; to: string; label: string }>();
  for (const { state_name: from, transitions } of states) {
    for (const { event, target: to } of transitions) {
      if (to === from) continue;
      const known = arrows.get(`${from} ${to}`);
      arrows.set(`${from} ${to}`, { from, to, label: known ? `${known.label}, ${event}` : event });
    }
  }
  return [...arrows.values()];
}

function selfLoops({ states }: Chart): { name: string; events: string[] }[] {
  return states
    .map(({ state_name: name, transitions }) => ({
      name,
      events: transitions.filter(({ target }) => target === name).map(({ event }) => event),
    }))
    .filter(({ events }) => events.length > 0);
}

/** The drawing in words. */
function described(chart: Chart, current: string | undefined): string {
  const { machine } = chart;
  const arrows = arrowsOf(chart)
    .map(({ from, to, label }) => say('machine.arrow', { from, to, events: label }))
    .join('; ');
  return current === undefined
    ? say('machine.states', { machine, arrows })
    : say('machine.states-now', { machine, arrows, state: current });
}
