import { ALL_ENDPOINTS, areaOf } from '../../../schemas/endpoints.js';

/** Tables of rows by operation: file, then the name of its constant. */
type Tables = Readonly<Record<string, Readonly<Record<string, object>>>>;

const AREAS: ReadonlyMap<string, string | undefined> = new Map(
  ALL_ENDPOINTS.map((one) => [one.operation, areaOf(one)]),
);

/** Where to add the row of an operation: to the table that has the most rows of its area. */
export function rowPlace(operation: string, folder: string, tables: Tables): string {
  const area = AREAS.get(operation);
  const places = Object.entries(tables).flatMap(([file, table]) =>
    Object.entries(table).map(([name, rows]) => ({
      place: `${name} in ${folder}/${file}`,
      count: Object.keys(rows).filter((one) => AREAS.get(one) === area).length,
    })),
  );
  const [best] = places.sort((a, b) => b.count - a.count);
  return `add '${operation}' to ${best!.place}`;
}
