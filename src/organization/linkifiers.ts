import type { LinkifierDocument } from '../../schemas/documents/linkifier.js';
import { MAX_LINKIFIERS } from '../../schemas/limits.js';
import { badRequest, invalidFields } from '../errors.js';
import { LinkifierFault } from '../services/linkifiers/fault.js';
import { Linkifier, type LinkifierSource } from '../services/linkifiers/linkifier.js';
import { Collection, release, type Recorder } from './collection.js';
import type { Organization } from './organization.js';
import type { Transaction } from './transaction.js';

/** The organization's linkifiers, and their ready forms. */
export class LinkifierCollection extends Collection<number, LinkifierDocument> {
  private readonly idByPattern = new Map<string, number>();
  /** Ready forms by id; each is made when it is asked for after its change. */
  private readonly readyById = new Map<number, Linkifier | null>();
  /** All of them in order. */
  private ready: readonly Linkifier[] | null = null;

  constructor(recorder: Recorder) {
    super('linkifier', recorder, (linkifier) => linkifier.id);
  }

  /** The linkifier with exactly this pattern. */
  byPattern(pattern: string): LinkifierDocument | undefined {
    const id = this.idByPattern.get(pattern);
    return id === undefined ? undefined : this.get(id);
  }

  /** In their order. */
  ordered(): LinkifierDocument[] {
    return [...this.values()].sort((a, b) => a.order - b.order || a.id - b.id);
  }

  /** What makes links, in order. */
  get compiled(): readonly Linkifier[] {
    this.ready ??= this.ordered().flatMap((one) => this.readyForm(one) ?? []);
    return this.ready;
  }

  /** Makes all ready, one per round of the event loop: compiling a hundred patterns takes a while. */
  async prepare(rest: () => Promise<unknown>): Promise<void> {
    for (const one of this.ordered()) {
      this.readyForm(one);
      await rest();
    }
  }

  /** Null for one that stricter rules than those it was made under forbid: it makes no links. */
  private readyForm(linkifier: LinkifierDocument): Linkifier | null {
    let form = this.readyById.get(linkifier.id);
    if (form === undefined) {
      form = readOrNull(linkifier);
      this.readyById.set(linkifier.id, form);
    }
    return form;
  }

  protected override reindex(previous?: LinkifierDocument, next?: LinkifierDocument): void {
    this.ready = null;
    if (previous && !hasSameForm(previous, next)) this.readyById.delete(previous.id);
    if (previous && previous.pattern !== next?.pattern) {
      release(this.idByPattern, previous.pattern, previous.id);
    }
    if (next) this.idByPattern.set(next.pattern, next.id);
  }
}

function readOrNull(linkifier: LinkifierDocument): Linkifier | null {
  try {
    return Linkifier.read(linkifier);
  } catch (error) {
    if (error instanceof LinkifierFault) return null;
    throw error;
  }
}

/** Whether a change leaves what makes links as it is: a new place in the order does. */
function hasSameForm(previous: LinkifierDocument, next: LinkifierDocument | undefined): boolean {
  return previous.pattern === next?.pattern && previous.url_template === next.url_template;
}

/** All linkifiers as clients see them, in their order. */
export function linkifierList(org: Organization) {
  return org.linkifiers.ordered().map(({ order: _order, ...shown }) => shown);
}

/** What a change of a linkifier says; absent leaves as it is, the empty text takes away. */
export interface LinkifierChange {
  readonly pattern: string;
  readonly url_template: string;
  readonly example_input?: string | null;
  readonly reverse_template?: string | null;
  readonly alternative_url_templates?: readonly string[];
}

/** Adds a linkifier, last in order (seed, endpoint 16). @throws ApiError */
export function addLinkifier(tx: Transaction, change: LinkifierChange): LinkifierDocument {
  const { linkifiers, counters } = tx.org;
  const source = checked(tx.org, change, null);
  if (linkifiers.size >= MAX_LINKIFIERS) {
    throw badRequest(`An organization can have at most ${MAX_LINKIFIERS} linkifiers.`);
  }
  const order = Math.max(0, ...linkifiers.ordered().map((one) => one.order)) + 1;
  const added = linkifiers.insert({ id: counters.next('linkifier'), order, ...source });
  tell(tx);
  return added;
}

/** Changes a linkifier (seed, endpoint 17); nobody is told where nothing changes. @throws ApiError */
export function changeLinkifier(tx: Transaction, id: number, change: LinkifierChange): void {
  const current = existing(tx.org, id);
  const source = checked(tx.org, change, current);
  const same = (Object.keys(source) as (keyof LinkifierSource)[]).every(
    (key) => JSON.stringify(source[key]) === JSON.stringify(current[key]),
  );
  if (same) return;
  tx.org.linkifiers.update(id, source);
  tell(tx);
}

/** @throws ApiError */
export function removeLinkifier(tx: Transaction, id: number): void {
  tx.org.linkifiers.delete(existing(tx.org, id).id);
  tell(tx);
}

/** Puts the linkifiers in this order (endpoints.md section G.3). @throws ApiError */
export function reorderLinkifiers(tx: Transaction, ids: readonly number[]): void {
  const { linkifiers } = tx.org;
  if (new Set(ids).size !== ids.length) {
    throw badRequest('The ordered list must not contain duplicated linkifiers');
  }
  if (ids.length !== linkifiers.size || !ids.every((id) => linkifiers.has(id))) {
    throw badRequest('The ordered list must enumerate all existing linkifiers exactly once');
  }
  if (linkifiers.ordered().every((one, index) => one.id === ids[index])) return;
  ids.forEach((id, index) => linkifiers.update(id, { order: index + 1 }));
  tell(tx);
}

function existing(org: Organization, id: number): LinkifierDocument {
  const found = org.linkifiers.get(id);
  if (!found) throw badRequest('Linkifier not found.');
  return found;
}

/** @throws ApiError with the texts by field (errors.md section 10) */
function checked(org: Organization, change: LinkifierChange, current: LinkifierDocument | null) {
  const { example_input, reverse_template, alternative_url_templates } = change;
  const source = {
    pattern: change.pattern.trim(),
    url_template: change.url_template.trim(),
    example_input: (example_input ?? current?.example_input) || null,
    reverse_template: (reverse_template ?? current?.reverse_template) || null,
    alternative_url_templates: [
      ...(alternative_url_templates ?? current?.alternative_url_templates ?? []),
    ],
  };
  const holder = org.linkifiers.byPattern(source.pattern);
  if (holder && holder.id !== current?.id) {
    throw invalidFields('pattern', 'Linkifier already exists.');
  }
  try {
    Linkifier.read(source);
  } catch (error) {
    if (!(error instanceof LinkifierFault)) throw error;
    // An old example must not keep the pattern from being changed where nothing needs it any more: the
    // seed's endpoint 17 has no parameter to send another.
    const stale = error.field === 'example_input' && (example_input ?? null) === null;
    if (stale && source.reverse_template === null) return { ...source, example_input: null };
    throw invalidFields(error.field ?? '__all__', error.message);
  }
  return source;
}

function tell(tx: Transaction): void {
  tx.emit('realm_linkifiers', { to: 'all' }, { realm_linkifiers: linkifierList(tx.org) });
}
