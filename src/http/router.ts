import type { Method } from '../../schemas/endpoint.js';
import { unescapedSegment } from './request/form-text.js';

/** Values of the path parameters: numbers for integer parameters, decoded text for the others. */
export type PathValues = Readonly<Record<string, string | number>>;

const NO_VALUES: PathValues = {};

/** The order in which allowed methods are listed. */
const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** An endpoint with the values of its path parameters. */
export interface Hit<T> {
  readonly target: T;
  readonly values: PathValues;
}

/** The endpoints of a path, for all methods. */
export class PathMatch<T> {
  constructor(
    private readonly candidates: readonly {
      readonly methods: ReadonlyMap<string, T>;
      readonly values: PathValues;
    }[],
  ) {}

  /** The endpoints of both, where these take precedence. */
  before(others: PathMatch<T>): PathMatch<T> {
    return new PathMatch([...this.candidates, ...others.candidates]);
  }

  /** The endpoint for a method, or undefined (405). */
  select(method: string): Hit<T> | undefined {
    for (const { methods, values } of this.candidates) {
      const target = methods.get(method);
      if (target !== undefined) return { target, values };
    }
    return undefined;
  }

  /** Whether one of the endpoints is such a one. */
  some(condition: (target: T) => boolean): boolean {
    return this.find(condition) !== undefined;
  }

  /** The first of the endpoints that is such a one. */
  find(condition: (target: T) => boolean): T | undefined {
    for (const { methods } of this.candidates) {
      for (const target of methods.values()) if (condition(target)) return target;
    }
    return undefined;
  }

  /** The methods of the `Allow` header; GET implies HEAD. */
  allowed(): readonly string[] {
    const names = new Set<string>();
    for (const { methods } of this.candidates) {
      for (const name of methods.keys()) names.add(name);
    }
    if (names.has('GET')) names.add('HEAD');
    return METHOD_ORDER.filter((name) => names.has(name));
  }
}

interface Literal {
  readonly kind: 'literal';
  readonly text: string;
}

interface Placeholder {
  readonly kind: 'integer' | 'text' | 'rest';
  readonly name: string;
}

type Segment = Literal | Placeholder;

interface Pattern<T> {
  readonly path: string;
  readonly segments: readonly Segment[];
  readonly methods: Map<string, T>;
}

const RANK = { literal: 0, integer: 1, text: 2, rest: 3 } as const;

/**
 * Router is the route table (requests.md#routing). Paths are case-sensitive, and a trailing slash makes
 * another path. A path without placeholders takes precedence over patterns; among patterns the one that is
 * more specific from the left does, and a less specific one serves only methods that the other lacks.
 */
export class Router<T> {
  private readonly statics = new Map<string, { methods: Map<string, T>; match: PathMatch<T> }>();
  private readonly patterns: Pattern<T>[] = [];

  /**
   * @param integers names of the placeholders that must be numbers; other values do not match (404)
   * @throws Error when the method and path are taken, or the path is malformed
   */
  add(method: Method, path: string, integers: ReadonlySet<string>, target: T): void {
    const segments = parsePattern(path, integers);
    const methods = segments.every((segment) => segment.kind === 'literal')
      ? this.staticMethods(path)
      : this.patternMethods(path, segments);
    if (methods.has(method)) throw new Error(`Two endpoints for ${method} ${path}`);
    methods.set(method, target);
  }

  /** The endpoints at a raw (percent-encoded) path, or undefined (404). */
  find(path: string): PathMatch<T> | undefined {
    const known = this.statics.get(path);
    if (known) return known.match;
    const segments = decodeSegments(path);
    if (!segments) return undefined;
    if (path.includes('%') && !segments.some((segment) => segment.includes('/'))) {
      const decoded = this.statics.get(segments.join('/'));
      if (decoded) return decoded.match;
    }
    const candidates = [];
    for (const pattern of this.patterns) {
      const values = matchSegments(pattern.segments, segments);
      if (values) candidates.push({ methods: pattern.methods, values });
    }
    return candidates.length > 0 ? new PathMatch(candidates) : undefined;
  }

  private staticMethods(path: string): Map<string, T> {
    let entry = this.statics.get(path);
    if (!entry) {
      const methods = new Map<string, T>();
      entry = { methods, match: new PathMatch([{ methods, values: NO_VALUES }]) };
      this.statics.set(path, entry);
    }
    return entry.methods;
  }

  private patternMethods(path: string, segments: readonly Segment[]): Map<string, T> {
    const same = this.patterns.find(
      (one) => one.path === path && one.segments.every((s, i) => s.kind === segments[i]?.kind),
    );
    if (same) return same.methods;
    const pattern = { path, segments, methods: new Map<string, T>() };
    this.patterns.push(pattern);
    this.patterns.sort((a, b) => compareSegments(a.segments, b.segments));
    return pattern.methods;
  }
}

function parsePattern(path: string, integers: ReadonlySet<string>): Segment[] {
  const parts = path.split('/');
  return parts.map((part, index): Segment => {
    const placeholder = /^\{([A-Za-z_][A-Za-z0-9_]*)(\+?)\}$/.exec(part);
    if (!placeholder) {
      if (/[{}%]/.test(part)) throw new Error(`Malformed path ${path}`);
      return { kind: 'literal', text: part };
    }
    const name = placeholder[1]!;
    if (placeholder[2] === '') {
      return { kind: integers.has(name) ? 'integer' : 'text', name };
    }
    if (index !== parts.length - 1) throw new Error(`{${name}+} must end the path ${path}`);
    return { kind: 'rest', name };
  });
}

function compareSegments(a: readonly Segment[], b: readonly Segment[]): number {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) {
    const difference = RANK[a[i]!.kind] - RANK[b[i]!.kind];
    if (difference !== 0) return difference;
  }
  return b.length - a.length;
}

/**
 * Decodes the segments of a path; undefined for NUL, and for U+FFFD that is not escaped: the native layer puts it in
 * the place of bytes that are not UTF-8.
 */
function decodeSegments(path: string): string[] | undefined {
  if (path.includes('\ufffd')) return undefined;
  const segments = path.split('/');
  if (!path.includes('%')) return segments;
  const decoded = segments.map(unescapedSegment);
  return decoded.some((segment) => segment.includes('\0')) ? undefined : decoded;
}

function matchSegments(
  pattern: readonly Segment[],
  segments: readonly string[],
): PathValues | undefined {
  const last = pattern[pattern.length - 1]!;
  const fits =
    last.kind === 'rest' ? segments.length >= pattern.length : segments.length === pattern.length;
  if (!fits) return undefined;
  const values: Record<string, string | number> = {};
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i]!;
    const value = expected.kind === 'rest' ? segments.slice(i).join('/') : segments[i]!;
    if (expected.kind === 'literal') {
      if (value !== expected.text) return undefined;
    } else if (expected.kind === 'integer') {
      const number = pathInteger(value);
      if (number === undefined) return undefined;
      values[expected.name] = number;
    } else {
      if (value === '') return undefined;
      values[expected.name] = value;
    }
  }
  return values;
}

/** A decimal number that JavaScript represents exactly. */
function pathInteger(text: string): number | undefined {
  if (!/^[0-9]{1,16}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
