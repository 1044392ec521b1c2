import { useEffect, useState } from 'preact/hooks';
import type { Message, Reply } from '../../../client/index.js';
import type { Model } from '../model.js';
import { Dialog } from '../parts/dialog.js';
import { say } from '../say.js';
import { wholeText } from '../times.js';
import type { View } from '../view.js';
import { When } from './when.js';

type Scheduled = Reply<'GET /scheduled_messages'>['scheduled_messages'][number];
type Reminder = Reply<'GET /reminders'>['reminders'][number];

/** Sends what was written at a time to come. @param done the text is no draft any more */
export function showSendLater(model: Model, view: View, content: string, done: () => void): void {
  const { surface, client } = model;
  const send = (scheduled_delivery_timestamp: number): void => {
    const to = receiversOf(view);
    if (!to) return;
    const work = client.call('POST /scheduled_messages', {
      ...to,
      content,
      scheduled_delivery_timestamp,
    });
    surface.attempt(work, () => {
      surface.close();
      done();
      return say('later.planned', { time: timeText(scheduled_delivery_timestamp) });
    });
  };
  surface.show(() => (
    <Dialog model={model} title={say('later.send')}>
      <p dir="auto">{model.titleOf(view)}</p>
      <When action={say('later.plan')} onChoose={send} />
    </Dialog>
  ));
}

/** Has the reader reminded of a message. */
export function showRemind(model: Model, { id }: Message): void {
  const { surface, client } = model;
  const remind = (scheduled_delivery_timestamp: number): void => {
    const params = { message_id: id, scheduled_delivery_timestamp };
    surface.attempt(client.call('POST /reminders', params), () => {
      surface.close();
      return say('later.reminded', { time: timeText(scheduled_delivery_timestamp) });
    });
  };
  surface.show(() => (
    <Dialog model={model} title={say('later.remind')}>
      <When action={say('later.remind-me')} onChoose={remind} />
    </Dialog>
  ));
}

/** What is to come: messages that wait for their time, and reminders. */
export function showPlanned(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('later.title')}>
      <Planned model={model} />
    </Dialog>
  ));
}

function Planned({ model }: { model: Model }) {
  const [messages, setMessages] = useState<readonly Scheduled[]>();
  const [reminders, setReminders] = useState<readonly Reminder[]>([]);
  const [edited, edit] = useState<number>();
  const { surface, client } = model;
  const load = (): void => {
    surface.attempt(client.call('GET /scheduled_messages', {}), ({ scheduled_messages }) =>
      setMessages(scheduled_messages),
    );
    surface.attempt(client.call('GET /reminders', {}), (reply) => setReminders(reply.reminders));
  };
  useEffect(load, []);
  const run = (work: Promise<unknown>, done: string): void =>
    surface.attempt(work, () => {
      edit(undefined);
      load();
      // The button that was pressed goes, and with it the focus.
      document.getElementById('dialog-title')?.focus();
      return done;
    });
  if (!messages) return <p>{say('common.loading')}</p>;
  if (messages.length + reminders.length === 0) return <p class="empty">{say('later.none')}</p>;
  return (
    <ul class="list planned">
      {messages.map((one) => {
        const id = one.scheduled_message_id;
        return (
          <li key={`message ${id}`}>
            <h3>{model.titleOf(viewOf(one))}</h3>
            <p>
              {timeText(one.scheduled_delivery_timestamp)}
              {one.failed && <strong role="alert"> {say('later.failed')}</strong>}
            </p>
            {edited === id ? (
              <Change model={model} message={one} onDone={run} />
            ) : (
              <>
                <p dir="auto" class="line-of-text">
                  {one.content}
                </p>
                <p class="choices">
                  <button class="plain" onClick={() => edit(id)}>
                    {say('common.edit')}
                  </button>
                  <button
                    class="plain"
                    onClick={() =>
                      run(
                        client.call('DELETE /scheduled_messages/{scheduled_message_id}', {
                          scheduled_message_id: id,
                        }),
                        say('later.cancelled'),
                      )
                    }
                  >
                    {say('common.delete')}
                  </button>
                </p>
              </>
            )}
          </li>
        );
      })}
      {reminders.map(({ reminder_id, content, scheduled_delivery_timestamp }) => (
        <li key={`reminder ${reminder_id}`}>
          <h3>{say('later.remind')}</h3>
          <p>{timeText(scheduled_delivery_timestamp)}</p>
          <p dir="auto" class="line-of-text">
            {content}
          </p>
          <p class="choices">
            <button
              class="plain"
              onClick={() =>
                run(
                  client.call('DELETE /reminders/{reminder_id}', { reminder_id }),
                  say('later.cancelled'),
                )
              }
            >
              {say('common.delete')}
            </button>
          </p>
        </li>
      ))}
    </ul>
  );
}

interface ChangeProps {
  readonly model: Model;
  readonly message: Scheduled;
  readonly onDone: (work: Promise<unknown>, done: string) => void;
}

/** The text and the time of a message that waits. */
function Change({ model, message, onDone }: ChangeProps) {
  const [content, setContent] = useState(message.content);
  return (
    <>
      <textarea
        class="wide-field"
        aria-label={say('message.edit')}
        dir="auto"
        value={content}
        onInput={(event) => setContent(event.currentTarget.value)}
      />
      <When
        action={say('common.save')}
        first={message.scheduled_delivery_timestamp}
        onChoose={(scheduled_delivery_timestamp) => {
          const { scheduled_message_id } = message;
          const params = { scheduled_message_id, content, scheduled_delivery_timestamp };
          const call = 'PATCH /scheduled_messages/{scheduled_message_id}';
          onDone(model.client.call(call, params), say('common.saved'));
        }}
      />
    </>
  );
}

function timeText(seconds: number): string {
  return wholeText(new Date(seconds * 1000));
}

function viewOf({ type, to, topic = '' }: Scheduled): View {
  return type === 'stream'
    ? { kind: 'channel', channelId: to as number, topic }
    : { kind: 'direct', userIds: to as number[] };
}

function receiversOf(view: View) {
  if (view.kind === 'direct') return { type: 'direct', to: view.userIds } as const;
  if (view.kind !== 'channel') return null;
  return { type: 'channel', to: view.channelId, topic: view.topic ?? '' } as const;
}
