/** A program for the thread that reads mails: the subject is the mail, and one called `endless` is never read. */
import { parentPort } from 'node:worker_threads';

parentPort!.on('message', ({ raw }: { readonly raw: Uint8Array }) => {
  const subject = Buffer.from(raw).toString();
  while (subject === 'endless');
  parentPort!.postMessage({ content: { subject } });
});
