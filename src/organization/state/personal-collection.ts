import { Collection, type Recorder } from './collection.js';
import { RangeVersions } from './range-versions.js';

/** One document for each of some users; knows in which ranges of user ids something changed. */
export class PersonalCollection<D extends { readonly user_id: number }> extends Collection<
  number,
  D
> {
  readonly changes = new RangeVersions();

  constructor(name: string, recorder: Recorder) {
    super(name, recorder, (document) => document.user_id);
  }

  protected override reindex(previous?: D, next?: D): void {
    this.changes.touch((next ?? previous)!.user_id);
  }
}
