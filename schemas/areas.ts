import * as accounts from './accounts/index.js';
import * as channels from './channels/index.js';
import * as groups from './groups/index.js';
import * as hooks from './hooks/index.js';
import * as invitations from './invitations/index.js';
import * as mail from './mail/index.js';
import * as messages from './messages/index.js';
import * as notifications from './notifications/index.js';
import * as personal from './personal/index.js';
import * as presence from './presence/index.js';
import * as queues from './queues/index.js';
import * as realm from './realm/index.js';
import * as scheduling from './scheduling/index.js';
import * as store from './store/index.js';
import * as topics from './topics/index.js';
import * as uploads from './uploads/index.js';
import * as users from './users/index.js';
import * as unoffered from './unoffered.js';

/** The areas of the contract by the names of their folders; each lists its files in its index. */
export const AREAS = {
  accounts,
  channels,
  groups,
  hooks,
  invitations,
  mail,
  messages,
  notifications,
  personal,
  presence,
  queues,
  realm,
  scheduling,
  store,
  topics,
  uploads,
  users,
  unoffered: { unoffered },
};

/** What the index of an area exports. */
export type Area = (typeof AREAS)[keyof typeof AREAS];

/** Everything that the files of all areas export, which is where endpoints, events and collections are found. */
export const DECLARATIONS: readonly unknown[] = Object.values(AREAS).flatMap((area) =>
  Object.values<object>(area).flatMap((file) => Object.values(file) as unknown[]),
);
