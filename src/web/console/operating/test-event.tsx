import type { Client } from '../../../client/index.js';
import { useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { plural } from '../text.js';

/** Sends everybody's queues an event that changes nothing. */
export function TestEvent({ client }: { client: Client }) {
  const deed = useDeed(() => undefined);
  const publish = (): void =>
    deed.run(async () => {
      const { journal_position: position, queues } = await client.call(
        'POST /realm/console/test_event',
        {},
      );
      return `The event at ${position} is on its way to ${plural(queues, 'queue')}.`;
    });
  return (
    <>
      <p>
        <button class="plain" disabled={deed.isBusy} onClick={publish}>
          Publish a test event
        </button>{' '}
        <small>It tells the organization’s name again, and changes nothing.</small>
      </p>
      <DeedLine deed={deed} />
    </>
  );
}
