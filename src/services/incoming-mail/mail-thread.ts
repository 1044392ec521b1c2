/** The program of the thread that reads mails: their senders are strangers, and nobody waits for it but they. */
import { parentPort } from '../../platform/threads.js';
import type { MailAnswer, MailRequest } from './mail-content.js';
import { readMail } from './read-mail.js';
import { onceSettled } from '../../turns/background.js';

parentPort()!.on('message', ({ raw, readings }: MailRequest) => {
  onceSettled(
    readMail(raw, readings),
    (content) => {
      // Files may share a buffer, which can be given away only once.
      const buffers = new Set(content.files.map(({ data }) => data.buffer as ArrayBuffer));
      answer({ content }, [...buffers]);
    },
    (error: unknown) => answer({ fault: error instanceof Error ? error.message : String(error) }),
  );
});

function answer(message: MailAnswer, transfer: ArrayBuffer[] = []): void {
  parentPort()!.postMessage(message, transfer);
}
