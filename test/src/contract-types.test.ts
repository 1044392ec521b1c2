import t from 'tap';
import type { ActorHost } from '../../actors/host.js';
import type { ScheduledMessageMachine } from '../../actors/scheduled-message.js';
import { deleteMessage } from '../../schemas/messages/message-deletion.js';
import { sendMessage } from '../../schemas/messages/messages.js';
import type { RendererOf } from '../../src/journal/renderers/event-renderer.js';
import type { Transaction } from '../../src/organization/state/transaction.js';
import { handle } from '../../src/resources/kernel/handler.js';

/*
 * The compiler is the test: it fails where one of these lines has no error any more. Nothing here is called.
 */
const TO_ALL = { to: 'all' } as const;

function replies(): unknown[] {
  return [
    handle(sendMessage, () => ({ id: 1 })),
    // @ts-expect-error a field is missing
    handle(sendMessage, () => ({})),
    // @ts-expect-error a field has another type
    handle(sendMessage, () => ({ id: '1' })),
    // @ts-expect-error the reply has no fields
    handle(deleteMessage, () => ({ id: 1 })),
  ];
}

function emitted(tx: Transaction): void {
  tx.emit('default_streams', TO_ALL, { default_streams: [1] });
  // @ts-expect-error there is no such event
  tx.emit('default_stream', TO_ALL, { default_streams: [1] });
  // @ts-expect-error there is no such field
  tx.emit('default_streams', TO_ALL, { default_stream: [1] });
  // @ts-expect-error the renderer needs its stored form, not the body it makes
  tx.emit('stream', TO_ALL, { op: 'delete', streams: [{ stream_id: 1 }] });
  // @ts-expect-error events show messages only
  tx.emit('invites_changed', TO_ALL, {}, { subject: { collection: 'user', id: 1 } });
}

const renderer: RendererOf<'invites_changed'> = {
  variant: () => '',
  // @ts-expect-error the body is of another event
  bodies: () => [{ type: 'default_streams', default_streams: [] }],
};

function sent(host: ActorHost<ScheduledMessageMachine>): void {
  host.send('a', { type: 'cancel' });
  // @ts-expect-error the machine has no such event
  host.send('a', { type: 'cancelled' });
  // @ts-expect-error the input needs a time
  host.begin('a', { failure: null });
}

void t.test('replies, events and machines are compared with their declarations', (t) => {
  t.ok([replies, emitted, renderer, sent], 'by the compiler');
  t.end();
});
