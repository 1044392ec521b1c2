/*
 * What opens on demand, and is fetched once the page is drawn (`open.ts`): nobody waits for it to read and to write.
 */
export { showHistory, showReaders } from './about-message.js';
export { showMove } from './move.js';
export { showPlanned, showRemind, showSendLater } from './scheduled.js';
export { showViewer } from './viewer.js';
export { showBrowse } from '../channels/browse.js';
export { showCreate } from '../channels/create.js';
export { showDetails } from '../channels/details.js';
export { showHelp } from '../help.js';
export { showNewConversation } from '../people/new-conversation.js';
export { showPeople } from '../people/people.js';
export { showProfile } from '../people/profile.js';
export { showSettings } from '../people/settings.js';
