/** A line of a plot. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

export interface Plot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Ticks of the x axis with their positions' values. */
  readonly ticks: readonly (readonly [number, string])[];
  readonly series: readonly Series[];
  /** Of the y axis; absent: logarithmic. */
  readonly scale?: 'linear';
}

/** As wide as a phone, so that its text can be read there. */
const WIDTH = 400;
const HEIGHT = 230;
const MARGIN = { left: 48, right: 28, top: 24, bottom: 38 };
const COLOURS = ['#1a56db', '#6b7280', '#d97706', '#059669', '#db2777', '#7c3aed', '#0891b2'];

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The powers of ten around some values. */
function decades(values: readonly number[]): [number, number] {
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...positive, Infinity)));
  const high = Math.ceil(Math.log10(Math.max(...positive, 0)));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return [low, Math.max(high, low + 1)];
}

/** The y axis: what it marks, and where a value lies, from 0 at its bottom to 1 at its top. */
interface Axis {
  readonly marks: readonly number[];
  share(value: number): number;
}

function logarithmic(values: readonly number[]): Axis {
  const [low, high] = decades(values);
  return {
    marks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
    share: (value) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low),
  };
}

/** Distances between marks are 1, 2 or 5 times a power of ten, and there are five of them or fewer. */
function linear(values: readonly number[]): Axis {
  const most = Math.max(...values, 0) || 1;
  const power = 10 ** Math.floor(Math.log10(most / 5));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => most / one <= 5)!;
  const count = Math.ceil(most / step);
  return {
    marks: Array.from({ length: count + 1 }, (_, i) => i * step),
    share: (value) => value / (count * step),
  };
}

/** A line plot as SVG, with its title and legend. */
export function renderPlot(plot: Plot): string {
  const xs = plot.ticks.map(([x]) => x);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const values = plot.series.flatMap(({ points }) => points.map(([, y]) => y));
  const axis = plot.scale === 'linear' ? linear(values) : logarithmic(values);
  const innerWidth = WIDTH - MARGIN.left - MARGIN.right;
  const innerHeight = HEIGHT - MARGIN.top - MARGIN.bottom;
  const atX = (x: number): number =>
    MARGIN.left + (right === left ? 0.5 : (x - left) / (right - left)) * innerWidth;
  const atY = (y: number): number => MARGIN.top + (1 - axis.share(y)) * innerHeight;
  const bottom = HEIGHT - MARGIN.bottom;
  const parts: string[] = [];
  for (const mark of axis.marks) {
    const y = atY(mark).toFixed(1);
    parts.push(
      `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y}" y2="${y}" class="grid"/>`,
      `<text x="${MARGIN.left - 6}" y="${y}" class="end">${Number(mark.toPrecision(2)).toLocaleString('en')}</text>`,
    );
  }
  for (const [x, label] of plot.ticks) {
    parts.push(
      `<text x="${atX(x).toFixed(1)}" y="${bottom + 16}" class="mid">${escapeHtml(label)}</text>`,
    );
  }
  plot.series.forEach((series, i) => parts.push(renderSeries(series, i, atX, atY)));
  parts.push(
    `<text x="${MARGIN.left + innerWidth / 2}" y="${HEIGHT - 6}" class="mid">${escapeHtml(plot.x)}</text>`,
    `<text x="4" y="12">${escapeHtml(plot.y)}</text>`,
  );
  const label = escapeHtml(plot.title);
  const legend = plot.series.map(
    ({ name }, i) =>
      `<li><i style="background:${colourOf(i)}"></i><span>${escapeHtml(name)}</span></li>`,
  );
  const caption = `<figcaption><div class="title">${label}</div><ul class="legend">${legend.join('')}</ul></figcaption>`;
  return `<figure>${caption}<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${parts.join('')}</svg></figure>`;
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length]!;
}

function renderSeries(
  { points }: Series,
  index: number,
  atX: (x: number) => number,
  atY: (y: number) => number,
): string {
  const colour = colourOf(index);
  const places = points.map(([x, y]) => `${atX(x).toFixed(1)},${atY(y).toFixed(1)}`);
  const dots = places.map((place) => {
    const [x, y] = place.split(',');
    return `<circle cx="${x}" cy="${y}" r="2.5" fill="${colour}"/>`;
  });
  return (
    `<g class="series"><polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>` +
    `${dots.join('')}</g>`
  );
}
