/** What an accepted setting changes. */
export type Effect =
  | {
      /** File that acts by it, and names it. */
      readonly place: string;
      /** File of the test, from `test`, which names the setting, and the test there. */
      readonly test: readonly [file: string, name: string];
    }
  /** What clients do with it: the server keeps it, shows it, and tells of changes. */
  | { readonly clients: string }
  /** Why there is nothing here that it could change: what it would allow or limit is refused, or not offered. */
  | { readonly nothing: string };

/** Effects by the names of settings. */
export type Effects = Readonly<Record<string, Effect>>;

/** Settings that one place acts by, and one test shows. */
export function by(
  place: string,
  file: string,
  name: string,
  ...settings: readonly string[]
): Record<string, Effect> {
  return Object.fromEntries(
    settings.map((one) => [one, { place: `src/${place}.ts`, test: [`${file}.test.ts`, name] }]),
  );
}

/** Settings that clients act by. */
export function clients(what: string, ...settings: readonly string[]): Record<string, Effect> {
  return Object.fromEntries(settings.map((one) => [one, { clients: what }]));
}

/** Settings that have nothing to change here. */
export function nothing(why: string, ...settings: readonly string[]): Record<string, Effect> {
  return Object.fromEntries(settings.map((one) => [one, { nothing: why }]));
}
