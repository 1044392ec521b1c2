/**
 * What parameters mean, in words, by name; `operation.name` where one of several operations means something
 * of its own. The schema beside it says type, values, bounds and default.
 */
export type ParameterTexts = Readonly<Record<string, string>>;
