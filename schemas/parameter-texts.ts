import type { FieldText } from './field-texts.js';

/**
 * What parameters mean, in words, by name; `operation.name` where one of several operations means something
 * of its own. The schema beside it says type, values, bounds and default.
 */
export type ParameterTexts = Readonly<Record<string, FieldText>>;

const declared = new WeakSet<object>();

/** Declares texts of what stands in a file, for parameters whose descriptors have none; a name has one text in all files. */
export function parameterTexts(texts: ParameterTexts): ParameterTexts {
  declared.add(texts);
  return texts;
}

/** Whether a value was declared by `parameterTexts`. */
export function isParameterTexts(value: unknown): value is ParameterTexts {
  return typeof value === 'object' && value !== null && declared.has(value);
}
