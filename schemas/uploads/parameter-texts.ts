import { parameterTexts } from '../parameter-texts.js';

/** Parameters about uploaded files. */
export const uploadTexts = parameterTexts({
  realm_id: 'First part of the file’s address: the number of the organization.',
  file_path: 'The rest of the file’s address below `/user_uploads/{realm_id}/`.',
  path: 'The rest of the file’s address below `/user_uploads/{realm_id}/`.',
  filename: 'File name for saving; the token selects the file.',
  'get-temporary-file.token': 'Proof in a temporary address, good for 60 seconds.',
  'get-export-file.token': 'The secret part of the address, which only administrators receive.',
  attachment_id: 'Id of an uploaded file of the caller.',
});
