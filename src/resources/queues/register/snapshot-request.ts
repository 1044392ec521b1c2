import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Organization } from '../../../organization/state/organization.js';
import type { RegisterParams } from './queue-request.js';
import type { LoadedSchedule } from './scheduled-sections.js';

/** What a section is made from. */
export interface SnapshotRequest {
  readonly org: Organization;
  readonly user: UserDocument;
  readonly params: RegisterParams;
  /** What had to be read from the store. */
  readonly schedule: LoadedSchedule;
  /** Whether a section was asked for by its own name, not by asking for everything. */
  readonly named: (section: string) => boolean;
  readonly wants: (section: string) => boolean;
}
