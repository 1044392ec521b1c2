import Type from 'typebox';
import { AttachmentObject } from '../uploads.js';

const exact = { additionalProperties: false } as const;
const type = Type.Literal('attachment');
const upload_space_used = Type.Integer();

/** Events.md section 10: the user uploaded a file. */
export const attachmentAdded = Type.Object(
  { type, op: Type.Literal('add'), attachment: AttachmentObject, upload_space_used },
  exact,
);

/** Events.md section 10: messages began or ceased to link it. */
export const attachmentUpdated = Type.Object(
  { type, op: Type.Literal('update'), attachment: AttachmentObject, upload_space_used },
  exact,
);

/** Events.md section 10. */
export const attachmentRemoved = Type.Object(
  {
    type,
    op: Type.Literal('remove'),
    attachment: Type.Object({ id: Type.Integer() }, exact),
    upload_space_used,
  },
  exact,
);

export const attachmentEvents = [attachmentAdded, attachmentUpdated, attachmentRemoved] as const;
