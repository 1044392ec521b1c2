import * as descriptors from '../../../schemas/messages/submessages.js';
import { addSubmessage } from '../../organization/messages/widgets/add-submessage.js';
import { handlePinned } from '../kernel/handler.js';
import { pinnedMessage, releasePinned } from '../kernel/pinned-message.js';
import { checkOpen, loadOpen } from './visible-message.js';

/** `POST /submessage` (endpoints-flags.md#submessages). */
export const submessageHandler = handlePinned(
  descriptors.addSubmessage,
  (org, { user, params }) => loadOpen(org, user, params.message_id),
  (tx, { user, params }, pinned) => {
    checkOpen(tx.org, user, params.message_id);
    const message = pinnedMessage(tx.org, pinned, params.message_id);
    addSubmessage(tx, user, message, params.content);
    return {};
  },
  releasePinned,
);
