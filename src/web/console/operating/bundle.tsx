import type { Client } from '../../../client/index.js';
import { useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { say } from '../text.js';

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
      return say('bundle.saved', { file: link.download });
    });
  return (
    <>
      <p>{say('bundle.meaning')}</p>
      <DeedLine deed={deed} />
      <p>
        <button disabled={deed.isBusy} onClick={take}>
          {say('bundle.save')}
        </button>
      </p>
    </>
  );
}
