import { randomBytes } from '../../platform/randomness.js';
import * as descriptors from '../../../schemas/realm/custom-emoji.js';
import { MAX_EMOJI_FILE_SIZE_MIB } from '../../../schemas/limits.js';
import { badRequest, fileTooLarge } from '../../errors/index.js';
import {
  addCustomEmoji,
  checkNewEmoji,
  deactivateCustomEmoji,
} from '../../organization/realm/custom-emoji.js';
import { customEmojiMap } from '../../organization/views/custom-emoji-view.js';
import { customEmojiFiles } from '../../organization/views/custom-emoji-view.js';
import { customEmojiKey } from '../../organization/views/custom-emoji-view.js';
import { putNew } from '../../services/blob-store.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { removeBlobs, type PictureParts } from '../users/picture-upload.js';
import { filesOf } from '../kernel/route.js';

/** Custom emoji (endpoints-organization.md#custom-emoji). */
export function customEmojiHandlers(parts: PictureParts): readonly AnyHandler[] {
  const { blobs, pictures } = parts;
  return [
    handle(descriptors.getCustomEmoji, ({ org }) => ({ emoji: customEmojiMap(org) })),
    handlePrepared(
      descriptors.uploadCustomEmoji,
      async (org, request) => {
        checkNewEmoji(org, request.user, request.params.emoji_name);
        const files = filesOf(request);
        if (files.length !== 1) throw badRequest('You must upload exactly one file.');
        const { data } = files[0]!;
        if (data.length > MAX_EMOJI_FILE_SIZE_MIB * 1024 * 1024) {
          throw fileTooLarge(MAX_EMOJI_FILE_SIZE_MIB);
        }
        const { picture, still } = await pictures.emoji(data, request.user.user_id);
        const stored = { file: randomBytes(16).toString('hex'), animated: still !== null };
        const names = customEmojiFiles(stored);
        const emoji = [customEmojiKey(names.picture), picture] as const;
        const stands = still ? [[customEmojiKey(names.still!), still] as const] : [];
        await putNew(blobs, [emoji, ...stands], (keys) => removeBlobs(parts, keys));
        return stored;
      },
      (tx, { user, params }, stored) => {
        addCustomEmoji(tx, user, params.emoji_name, stored);
        return {};
      },
      (stored) => {
        const { picture, still } = customEmojiFiles(stored);
        removeBlobs(parts, [picture, ...(still ? [still] : [])].map(customEmojiKey));
      },
    ),
    handle(descriptors.deactivateCustomEmoji, (tx, { user, params }) => {
      deactivateCustomEmoji(tx, user, params.emoji_name);
      return {};
    }),
  ];
}
