import { sender } from '../../sender.js';
import { bodyHmac } from '../../signatures.js';

/** A notification names accounts alone: what changed is known to those who ask Dropbox. */
export const dropbox = sender({
  name: 'dropbox',
  displayName: 'Dropbox',
  docs: 'https://www.dropbox.com/developers/reference/webhooks',
  event: '',
  topic: 'Dropbox',
  echoed: { header: null },
  signature: bodyHmac('x-dropbox-signature'),
  events: { '': 'Files changed in Dropbox, in {list_folder.accounts:count account}.' },
});
