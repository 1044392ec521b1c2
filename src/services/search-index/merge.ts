/** Writes what changed into the files of the parts; in a thread of its own, because it takes long. */
import { join } from 'node:path';
import { readLog } from './change-log.js';
import { Segment } from './segment.js';
import { SegmentWriter } from './segment-writer.js';
import { Tail, type TailPart } from './tail.js';

/** What is to be merged. */
export interface MergeJob {
  readonly folder: string;
  /** Files of changes, the oldest first. */
  readonly logs: readonly string[];
  /** The present files of parts. */
  readonly segments: readonly (readonly [part: number, file: string])[];
  /** Behind the names of the new files, so that no file is ever written to again. */
  readonly suffix: string;
}

/** New files by part; null where nothing is left of the part. */
export type Merged = readonly (readonly [part: number, file: string | null])[];

/** Writes a new file for each part that the logs change. */
export function merge({ folder, logs, segments, suffix }: MergeJob): Merged {
  const tail = new Tail();
  for (const log of logs) {
    for (const { changes } of readLog(join(folder, log)).batches) {
      for (const [id, message] of changes) tail.put(id, message);
    }
  }
  const files = new Map(segments);
  return [...tail.parts].map(([number, part]) => {
    const former = files.get(number);
    const writer = merged(part, former === undefined ? null : join(folder, former));
    if (writer.isEmpty) return [number, null] as const;
    const file = `part-${number}-${suffix}`;
    writer.write(join(folder, file));
    return [number, file] as const;
  });
}

/** The messages of a file and their changes, in order of their places. */
function merged(part: TailPart, former: string | null): SegmentWriter {
  const writer = new SegmentWriter();
  const changed = [...part.messages.keys()].sort((a, b) => a - b);
  let next = 0;
  const addUntil = (end: number): void => {
    for (; next < changed.length && changed[next]! < end; next++) {
      const message = part.messages.get(changed[next]!);
      if (message) writer.add(changed[next]!, message);
    }
  };
  if (former !== null) {
    const segment = Segment.open(former);
    try {
      for (const [place, message] of segment.messages(part.owned)) {
        addUntil(place);
        writer.add(place, message);
      }
    } finally {
      segment.close();
    }
  }
  addUntil(Infinity);
  return writer;
}
