import { texts } from './texts.js';

/** Says a message of what all pages have (`src/languages/en/shared.json`). */
export const say = texts('shared');
