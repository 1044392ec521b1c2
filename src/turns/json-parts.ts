/** Items of a list that are encoded in one piece: a hundred channels have some 150 kB of text. */
const ITEMS_PER_PART = 100;

/**
 * How deep objects and lists are divided: the lists of an event are in its audience and its data, the operations of the
 * published contract in the paths of the document.
 */
const DEPTH = 2;

/**
 * The text of `JSON.stringify` in parts, each of which takes less than a millisecond to make where no item of a list is
 * large: an event may have thousands of channels, or of ids, and the published contract has megabytes. The caller may pause
 * between them.
 */
export function* jsonInParts(value: object, depth = DEPTH): Generator<string> {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (let i = 0; i < items.length; i += ITEMS_PER_PART) {
      yield i === 0 ? '[' : ',';
      // By itself: what is put before it would be copied with it.
      yield JSON.stringify(items.slice(i, i + ITEMS_PER_PART)).slice(1, -1);
    }
    yield items.length === 0 ? '[]' : ']';
    return;
  }
  let before = '{';
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (field === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (depth > 0 && typeof field === 'object' && field !== null) {
      yield* jsonInParts(field, depth - 1);
    } else yield JSON.stringify(field);
  }
  yield before === '{' ? '{}' : '}';
}
