import { fieldTexts } from '../field-texts.js';
import { MESSAGE } from '../example-values.js';

/** Fields of uploaded files. */
export const uploadFields = fieldTexts({
  'Attachment.id': ['Id of the file.', 1],
  'DetachedUpload.id': ['Id of the file.', 1],
  'attachment.id': ['Id of the file that is gone.', 1],
  'Attachment.name': ['Name of the file, as it was uploaded.', 'ghost.txt'],
  'DetachedUpload.name': ['Name of the file, as it was uploaded.', 'ghost.txt'],
  path_id: ['Address of the file below `/user_uploads/`.', '1/4e/m2QxNGNlYTktMzU4NS00/ghost.txt'],
  size: ['Size of the file, in bytes.', 1024],
  create_time: ['When it was uploaded, UNIX seconds.', 1_750_000_000],
  'Attachment.message_ids': ['Messages that link the file, by id.', [MESSAGE]],
  attachments: 'Files of the caller.',
  upload_space_used: ['Size of all files of the organization, in bytes.', 1024],
  attachment: 'The file.',
  'upload-file.url': [
    'Address of the file, to be linked in a message.',
    '/user_uploads/1/4e/m2QxNGNlYTktMzU4NS00/ghost.txt',
  ],
  'upload-file.uri': ['Older name of `url`.', '/user_uploads/1/4e/m2QxNGNlYTktMzU4NS00/ghost.txt'],
  filename: ['Name of the file, cleaned of what cannot be in an address.', 'ghost.txt'],
  'get-file-temporary-url.url': [
    'Address that needs no credentials for 60 seconds.',
    '/user_uploads/temporary/4-1750000060-9d5ed678fe57bcca/ghost.txt',
  ],
});
