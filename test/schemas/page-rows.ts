import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { namesOf } from './omissions.js';

/* What the schemas have and the tables of the contract's pages lack: one line per omission, with the place for the row. */

const FOLDER = 'docs/contract/';

/** The text of a section of a page, from the first heading with these words to the next of any level. */
function section(page: string, heading: string): string {
  const text = readFileSync(FOLDER + page, 'utf8');
  const [, found] = text.split(new RegExp(`^#+ ${heading.replaceAll('.', '\\.')}.*$`, 'm'));
  if (found === undefined) throw new Error(`${page} has no section ${heading}`);
  return found.split(/^#+ /m)[0]!;
}

/** Cells of the rows of all tables of a text. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .slice(1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

const METHODS = /^(?:GET|POST|PATCH|PUT|DELETE)$/;
/** Names in braces differ between the page and the descriptors. */
const plain = (path: string): string => path.replace(/^\//, '').replaceAll(/\{[^}]*\}/g, '{}');

/** Of a row's first cell, `METHOD path` of each: methods before a path hold for it and for those after it. */
function callsOf(cell: string): string[] {
  let methods: string[] = [];
  let isAfterPath = true;
  const calls: string[] = [];
  for (const word of cell.replaceAll('`', '').split(/[\s,;]+/)) {
    if (METHODS.test(word)) methods = isAfterPath ? [word] : [...methods, word];
    else calls.push(...methods.map((method) => `${method} ${plain(word)}`));
    isAfterPath = !METHODS.test(word);
  }
  return calls;
}

/** Endpoints that J.2 lacks. A row for a list holds for its entries, too: `DELETE drafts` for `DELETE drafts/{id}`. */
export function withoutRow(endpoints: readonly EndpointDescriptor[]): string[] {
  const calls = new Set(rowsOf(section('endpoints.md', 'J.2')).flatMap(([cell]) => callsOf(cell!)));
  return endpoints
    .filter(({ method, path }) => {
      const call = `${method} ${plain(path)}`;
      return !calls.has(call) && !calls.has(call.replace(/\/\{\}$/, ''));
    })
    .map(({ method, path }) => `${FOLDER}endpoints.md: add '${method} ${path.slice(1)}' to J.2`);
}

/** Types of events, and their forms, that the index lacks. */
export function withoutIndex(events: readonly TSchema[]): string[] {
  const listed = new Set<string>();
  for (const [types, , ops] of rowsOf(section('events.md', '8.'))) {
    for (const type of types!.split(', ')) {
      for (const op of ops!.split(', ')) listed.add(op === '–' ? type : `${type} ${op}`);
    }
  }
  return [...new Set(events.flatMap(namesOf))]
    .filter((name) => !listed.has(name))
    .map((name) => `${FOLDER}events.md: add '${name}' to the index (section 8)`);
}

/** Fields of sections of the snapshot that the page lacks; of a field's own page for the section `realm`. */
export function withoutField(sections: Readonly<Record<string, readonly string[]>>): string[] {
  const listed = rowsOf(section('register.md', '3.')).flatMap(([name, field]) =>
    field === 'same' ? [name!] : [...field!.matchAll(/`(\w+)`/g)].map(([, one]) => one!),
  );
  const realm = readFileSync(`${FOLDER}register-realm.md`, 'utf8');
  return Object.entries(sections).flatMap(([name, fields]) =>
    name === 'realm'
      ? fields
          .filter((field) => !new RegExp(`\\b${field}\\b`).test(realm))
          .map((field) => `${FOLDER}register-realm.md: add '${field}' to section 4`)
      : fields
          .filter((field) => !listed.includes(field))
          .map((field) => `${FOLDER}register.md: add '${field}' to section 3`),
  );
}

/** Whether a text has a name, also as `beginning_*` or `one_{a,b}_end`. */
function names(text: string, name: string): boolean {
  const words = text.match(/[a-z]\w+[\w{},*]*/g) ?? [];
  return words.some((word) => {
    const isList = word.includes('{') || word.includes('*');
    if (!isList) return word.replaceAll(',', '') === name;
    const inner = word.replaceAll(
      /\{([^}]*)\}/g,
      (_all, list: string) => `(${list.replaceAll(',', '|')})`,
    );
    return new RegExp(`^${inner.replaceAll('*', '\\w+').replace(/,$/, '')}$`).test(name);
  });
}

/** Settings of users that one of the two tables lacks. */
export function withoutSettingRow(settings: readonly string[]): string[] {
  return ['I.1', 'Register 5'].flatMap((heading) => {
    const text = section('settings.md', heading);
    return settings
      .filter((name) => !names(text, name))
      .map((name) => `${FOLDER}settings.md: add '${name}' to ${heading}`);
  });
}
