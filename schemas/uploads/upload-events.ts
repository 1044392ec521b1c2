import Type from 'typebox';
import { exact } from '../exact.js';
import { AttachmentObject } from './uploads.js';
import { events } from '../event.js';

const type = Type.Literal('attachment');
const upload_space_used = Type.Integer();

/** events-personal.md#personal-data: the user uploaded a file. */
export const attachmentAdded = Type.Object(
  { type, op: Type.Literal('add'), attachment: AttachmentObject, upload_space_used },
  exact,
);

/** events-personal.md#personal-data: messages began or ceased to link it. */
export const attachmentUpdated = Type.Object(
  { type, op: Type.Literal('update'), attachment: AttachmentObject, upload_space_used },
  exact,
);

/** events-personal.md#personal-data. */
export const attachmentRemoved = Type.Object(
  {
    type,
    op: Type.Literal('remove'),
    attachment: Type.Object({ id: Type.Integer() }, exact),
    upload_space_used,
  },
  exact,
);

/** All events of uploaded files. */
export const attachmentEvents = events(attachmentAdded, attachmentUpdated, attachmentRemoved);
