import type { LinkifierDocument } from '../../../../schemas/realm/linkifier-document.js';
import { LinkifierFault } from '../../../services/linkifiers/fault.js';
import { Linkifier } from '../../../services/linkifiers/linkifier.js';
import { Collection, type Recorder, release } from '../collection.js';

function readOrNull(linkifier: LinkifierDocument): Linkifier | null {
  try {
    return Linkifier.read(linkifier);
  } catch (error) {
    if (error instanceof LinkifierFault) return null;
    throw error;
  }
}

/** Whether a change keeps pattern and template: a new position in the order does. */
function hasSameForm(previous: LinkifierDocument, next: LinkifierDocument | undefined): boolean {
  return previous.pattern === next?.pattern && previous.url_template === next.url_template;
}

/** The organization's linkifiers and their compiled forms. */
export class LinkifierCollection extends Collection<number, LinkifierDocument> {
  private readonly idByPattern = new Map<string, number>();
  /** Compiled forms by id, made on first use after a change. */
  private readonly readyById = new Map<number, Linkifier | null>();
  /** All compiled forms in order. */
  private ready: readonly Linkifier[] | null = null;

  constructor(recorder: Recorder) {
    super('linkifier', recorder, (linkifier) => linkifier.id);
  }

  /** The linkifier with exactly this pattern. */
  byPattern(pattern: string): LinkifierDocument | undefined {
    const id = this.idByPattern.get(pattern);
    return id === undefined ? undefined : this.get(id);
  }

  /** All linkifiers in their order. */
  ordered(): LinkifierDocument[] {
    return [...this.values()].sort((a, b) => a.order - b.order || a.id - b.id);
  }

  /** The compiled linkifiers, in order. */
  get compiled(): readonly Linkifier[] {
    this.ready ??= this.ordered().flatMap((one) => this.readyForm(one) ?? []);
    return this.ready;
  }

  /** Compiles all linkifiers, one per round of the event loop: a hundred patterns take a while. */
  async prepare(rest: () => Promise<unknown>): Promise<void> {
    for (const one of this.ordered()) {
      this.readyForm(one);
      await rest();
    }
  }

  /**
   * The compiled form; null where rules introduced after its creation forbid the linkifier, which then
   * makes no links.
   */
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
