/** Header with the journal's position, as Node's HTTP client names it. */
export const POSITION = 'parley-position';
