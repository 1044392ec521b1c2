import { MAX_SNAPSHOT_TEXT_BYTES } from '../../../schemas/limits.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Organization } from '../../organization/state/organization.js';
import { rangeOf } from '../../organization/state/user-collections.js';
import { roleSeesEmail, type UserViewOptions } from '../../organization/views/user-view.js';
import { encodedText, FragmentCache, SnapshotFragments } from './fragment-cache.js';
import { peopleTextFor, personText, type PeopleList } from './fragment-sources.js';

const caches = new WeakMap<Organization, FragmentCache>();

/** Texts for one reply. All replies of an organization share one cache with one bound. */
export function sharedTexts(org: Organization): SnapshotFragments {
  let cache = caches.get(org);
  if (!cache) caches.set(org, (cache = new FragmentCache(MAX_SNAPSHOT_TEXT_BYTES, org.now)));
  return new SnapshotFragments(cache);
}

/** Texts of a list of users with the viewer's own address, which they see even where others of their role do not. */
export function withOwnAddress(
  org: Organization,
  viewer: UserDocument,
  list: PeopleList,
  options: UserViewOptions,
  texts: Pick<SnapshotFragments, 'text'>,
): Pick<SnapshotFragments, 'text'> {
  if (roleSeesEmail(org, viewer.role, viewer)) return texts;
  const seenByOthers = Buffer.from(personText(org, viewer, viewer.role, options));
  const seenBySelf = Buffer.from(personText(org, viewer, viewer.role, options, true));
  const own = (bytes: Buffer): Buffer => {
    const at = bytes.indexOf(seenByOthers);
    // Nothing may be cut out of a text that says something else.
    if (at < 0) return peopleTextFor(org, viewer, list, options, rangeOf(viewer.user_id));
    const rest = bytes.subarray(at + seenByOthers.length);
    return Buffer.concat([bytes.subarray(0, at), seenBySelf, rest]);
  };
  return {
    text(source, range) {
      const found = texts.text(source, range);
      if (range !== rangeOf(viewer.user_id)) return found;
      return { ...found, ...encodedText(own(found.bytes)), isShared: false };
    },
  };
}
