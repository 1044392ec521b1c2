/** Documents of the store that are not what was written: what needs them fails, and nothing else. */
import { lruOfEntries } from '../../platform/lru.js';
import { DamagedError, type Document, type DocumentKey } from '../../store/port.js';

/** Reads documents from the store, in the order of the keys; undefined where there is none. */
export type DocumentSource = (
  keys: readonly DocumentKey[],
) => Promise<readonly (Document | undefined)[]>;

/** A document, or what is wrong with it; undefined where there is none. */
export type ReadDocument = Document | DamagedError | undefined;

/** Is told of a damaged document. */
export type DamageReporter = (error: DamagedError) => void;

/** Names remembered; with more damaged documents than this some are reported again. */
const REMEMBERED = 10_000;

/** Reports each damaged document once, however often it is asked for. */
export function reportOnce(report: DamageReporter): DamageReporter {
  const known = lruOfEntries<string, true>(REMEMBERED);
  return (error) => {
    if (known.get(error.subject)) return;
    known.set(error.subject, true);
    report(error);
  };
}

/**
 * Reads documents, the damaged ones apart: a store refuses a read of many because of one.
 * @throws what the source throws about anything else
 */
export async function readApart(
  source: DocumentSource,
  keys: readonly DocumentKey[],
): Promise<ReadDocument[]> {
  const found: ReadDocument[] = [];
  let rest = keys;
  while (rest.length > 0) {
    try {
      found.push(...(await source(rest)));
      return found;
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      const at = rest.findIndex(({ collection, id }) => error.subject === `${collection}:${id}`);
      if (at < 0) throw error;
      found.push(...(await readApart(source, rest.slice(0, at))), error);
      rest = rest.slice(at + 1);
    }
  }
  return found;
}
