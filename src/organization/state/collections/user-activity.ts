import type { UserActivityDocument } from '../../../../schemas/users/user-activity-document.js';
import type { Recorder } from '../collection.js';
import { PersonalCollection } from '../personal-collection.js';

/** An activity is noted when the last one noted is this old: a day of everybody's is one small document. */
export const NOTED_EVERY_SECONDS = 86_400;

/** Documents of one entry at most; the rest comes with the next run. */
export const MAX_NOTED_AT_ONCE = 500;

/** When people last did anything, to the day. */
export class UserActivityCollection extends PersonalCollection<UserActivityDocument> {
  constructor(recorder: Recorder) {
    super('user_activity', recorder);
  }
}
