import type { Client } from '../../../client/index.js';
import { useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { say } from '../text.js';

/** Sends everybody's queues an event that changes nothing. */
export function TestEvent({ client }: { client: Client }) {
  const deed = useDeed(() => undefined);
  const publish = (): void =>
    deed.run(async () => {
      const { journal_position: position, queues } = await client.call(
        'POST /realm/console/test_event',
        {},
      );
      return say('test-event.sent', { position: String(position), count: queues });
    });
  return (
    <>
      <p>
        <button class="plain" disabled={deed.isBusy} onClick={publish}>
          {say('test-event.publish')}
        </button>{' '}
        <small>{say('test-event.meaning')}</small>
      </p>
      <DeedLine deed={deed} />
    </>
  );
}
