/** What messages are given: made of the English catalog by scripts/languages.js. */
export type Values = Record<never, never>;
