import t from 'tap';
import { badRequest, storeUnavailable } from '../../../src/errors/index.js';
import { EarlierCommitError } from '../../../src/store/commits.js';
import { FencedError, StoreUnavailableError, isStoreAway } from '../../../src/store/port.js';

void t.test(
  'the store is away: by its own word, by a refusal, or behind an earlier commit',
  async (t) => {
    const away = new StoreUnavailableError('No answer', null);
    t.strictSame([away, new EarlierCommitError(away), storeUnavailable()].map(isStoreAway), [
      true,
      true,
      true,
    ]);
    const others = [badRequest('No'), new FencedError('Another leads'), new Error('x'), 'x', null];
    t.notOk(others.some(isStoreAway));
  },
);
