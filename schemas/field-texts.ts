/** What a field means, and a value it may have where its schema and its name do not give one. */
export type FieldText = string | readonly [text: string, example: unknown];

/**
 * What the fields of replies, events and structured parameters mean, by name. `Holder.name` says it of the field of one
 * object: the holder is the object's title (`Message`), the field that has it (`sender`), the event's type or the
 * operation. The innermost holder that says something wins, then the bare name.
 */
export type FieldTexts = Readonly<Record<string, FieldText>>;

const declared = new WeakSet<object>();

/** Declares texts of what stands in a file; a name has one text in all files. */
export function fieldTexts(texts: FieldTexts): FieldTexts {
  declared.add(texts);
  return texts;
}

/** Whether a value was declared by `fieldTexts`. */
export function isFieldTexts(value: unknown): value is FieldTexts {
  return typeof value === 'object' && value !== null && declared.has(value);
}
