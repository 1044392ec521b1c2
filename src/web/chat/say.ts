import { texts } from '../shared/texts.js';

/** Says a message of the chat (`src/languages/en/chat.json`). */
export const say = texts('chat');
