import { useEffect, useRef, useState } from 'preact/hooks';
import type { Client, Params, StateChart } from '../../client/index.js';
import { INTERVAL_MS, Series, type Look } from './series.js';

/** Events of the journal that the page keeps. */
const MOST_EVENTS = 1000;

/** What a view asks for, beside the figures of the nodes. */
export type Wants = Omit<Params<'GET /realm/console'>, 'events_after' | 'with_charts'>;

export interface Shown {
  readonly look?: Look;
  /** Of the newest look; undefined where it came. */
  readonly error?: Error | undefined;
  readonly charts: readonly StateChart[];
  readonly events: Look['journal_events'];
  /** Figures of each node over time. */
  readonly series: ReadonlyMap<string, Series>;
}

/**
 * Asks the server every two seconds while the page is looked at, and at once when a view wants something else; nothing
 * when it is hidden.
 */
export function useLive(client: Client, wants: Wants): Shown {
  const [series] = useState(() => new Map<string, Series>());
  /** Journal position of the last look. */
  const newest = useRef<number>();
  const [shown, setShown] = useState<Shown>({ charts: [], events: [], series });
  const asked = JSON.stringify(wants);
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const look = await client.call('GET /realm/console', {
        ...(JSON.parse(asked) as Wants),
        events_after: newest.current,
        with_charts: newest.current === undefined,
      });
      if (isOver) return;
      newest.current = Math.max(newest.current ?? 0, look.nodes[0]!.journal_head);
      note(series, look);
      setShown((before) => ({
        look,
        series,
        charts: look.charts ?? before.charts,
        events: [...before.events, ...look.journal_events].slice(-MOST_EVENTS),
      }));
    };
    const ask = async (): Promise<void> => {
      if (isOver) return;
      try {
        if (document.visibilityState === 'visible') await look();
      } catch (error) {
        if (!isOver) setShown((before) => ({ ...before, error: error as Error }));
      }
      if (!isOver) timer = setTimeout(() => void ask(), INTERVAL_MS);
    };
    // What is typed changes what is wanted at each key.
    timer = setTimeout(() => void ask(), newest.current === undefined ? 0 : 150);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, asked, series]);
  return shown;
}

function note(series: Map<string, Series>, { nodes }: Look): void {
  const at = performance.now();
  for (const node of nodes) {
    let known = series.get(node.node_id);
    if (!known) series.set(node.node_id, (known = new Series()));
    known.add(at, node);
  }
  for (const id of series.keys()) {
    if (!nodes.some(({ node_id }) => node_id === id)) series.delete(id);
  }
}
