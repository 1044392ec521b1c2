import * as AREAS from './areas.js';

/** What the files of the areas export, by their paths without an ending. */
export const FILES: Readonly<Record<string, object>> = AREAS;

/** What a file of an area exports. */
export type AreaFile = (typeof AREAS)[keyof typeof AREAS];

/** Everything that the files of all areas export, which is where endpoints, events and collections are found. */
export const DECLARATIONS: readonly unknown[] = Object.values(FILES).flatMap(
  (file) => Object.values(file) as unknown[],
);
