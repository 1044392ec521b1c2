import type { Client } from '../../../client/index.js';
import { useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';

/** A file for whoever helps. */
export function Bundle({ client }: { client: Client }) {
  const deed = useDeed(() => undefined);
  const take = (): void =>
    deed.run(async () => {
      const { bundle } = await client.call('POST /realm/console/support_bundle', {});
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([bundle], { type: 'application/json' }));
      link.download = 'parley-support.json';
      link.click();
      URL.revokeObjectURL(link.href);
      return 'The bundle is saved as parley-support.json. Read it before you send it.';
    });
  return (
    <>
      <p>
        For whoever helps: versions, options, figures, troubles, log and the audit log’s outline. It
        has no secrets, no addresses and nothing that people wrote.
      </p>
      <DeedLine deed={deed} />
      <p>
        <button disabled={deed.isBusy} onClick={take}>
          Save a support bundle
        </button>
      </p>
    </>
  );
}
