import { useEffect, useState } from 'preact/hooks';
import type { Message, Reply } from '../../../client/index.js';
import { Content } from '../content.js';
import type { Model } from '../model.js';
import { Avatar } from '../parts/avatar.js';
import { Dialog } from '../parts/dialog.js';
import { showProfile } from '../people/profile.js';
import { say } from '../say.js';
import { ALPHABET, wholeText } from '../times.js';
import { isolated } from '../view.js';

type Version = Reply<'GET /messages/{message_id}/history'>['message_history'][number];

/** What a message said, and where it was, before it was changed. */
export function showHistory(model: Model, { id }: Message): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('history.title')}>
      <History model={model} id={id} />
    </Dialog>
  ));
}

/** Who has read a message. */
export function showReaders(model: Model, { id }: Message): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('readers.title')}>
      <Readers model={model} id={id} />
    </Dialog>
  ));
}

interface Props {
  readonly model: Model;
  readonly id: number;
}

/** What a call brings, and why it was refused. */
function useReply<T>(call: () => Promise<T>): { reply?: T; error?: string } {
  const [state, set] = useState<{ reply?: T; error?: string }>({});
  useEffect(() => {
    call().then(
      (reply) => set({ reply }),
      ({ message: error }: Error) => set({ error }),
    );
  }, []);
  return state;
}

function History({ model, id }: Props) {
  const { reply, error } = useReply(() =>
    model.client.call('GET /messages/{message_id}/history', {
      message_id: id,
      allow_empty_topic_name: true,
    }),
  );
  if (error !== undefined) return <p role="alert">{error}</p>;
  if (!reply) return <p>{say('common.loading')}</p>;
  const { message_history: versions } = reply;
  return (
    <ol class="versions">
      {[...versions].reverse().map((version, index) => (
        <li key={index}>
          <h3>
            {version.user_id !== null && <bdi>{model.nameOf(version.user_id)}</bdi>}{' '}
            <small>{wholeText(new Date(version.timestamp * 1000))}</small>
          </h3>
          <Moved model={model} version={version} />
          {(version.prev_content !== undefined || index === versions.length - 1) && (
            <Content names={model} facts={model.facts} html={version.rendered_content} />
          )}
        </li>
      ))}
    </ol>
  );
}

/** From where a version was moved. */
function Moved({ model, version }: { model: Model; version: Version }) {
  const { prev_topic, prev_stream } = version;
  return (
    <>
      {prev_stream !== undefined && (
        <p>{say('history.from-channel', { channel: isolated(model.channelName(prev_stream)) })}</p>
      )}
      {prev_topic !== undefined && (
        <p>{say('history.from-topic', { topic: isolated(model.topicName(prev_topic)) })}</p>
      )}
    </>
  );
}

function Readers({ model, id }: Props) {
  const { reply, error } = useReply(() =>
    model.client.call('GET /messages/{message_id}/read_receipts', { message_id: id }),
  );
  if (error !== undefined) return <p role="alert">{error}</p>;
  if (!reply) return <p>{say('common.loading')}</p>;
  const readers = reply.user_ids
    .map((userId) => [userId, model.nameOf(userId)] as const)
    .sort(([, a], [, b]) => ALPHABET.compare(a, b));
  return (
    <>
      <p>{say('readers.count', { count: readers.length })}</p>
      <ul class="list">
        {readers.map(([userId, name]) => (
          <li key={userId}>
            <button class="line" onClick={() => showProfile(model, userId)}>
              <Avatar userId={userId} url={model.users.get(userId)?.avatar_url} size={24} />
              <span class="name" dir="auto">
                {name}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <small>{say('readers.only')}</small>
    </>
  );
}
