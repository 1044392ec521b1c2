import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Organization } from '../../../organization/state/organization.js';
import type { RegisterParams } from './queue-request.js';
import type { LoadedSchedule } from './scheduled-sections.js';

/** Input of a section. */
export interface SnapshotRequest {
  readonly org: Organization;
  readonly user: UserDocument;
  readonly params: RegisterParams;
  /** Documents that had to be read from the store. */
  readonly schedule: LoadedSchedule;
  /** Whether the request names a section, rather than asking for all. */
  readonly named: (section: string) => boolean;
  readonly wants: (section: string) => boolean;
}
