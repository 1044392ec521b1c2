import { parameterTexts } from '../parameter-texts.js';

/** Parameters about logging in. */
export const accountTexts = parameterTexts({
  include_profile: 'Whether the reply holds the user’s profile as `user`.',
});
