import { useState } from 'preact/hooks';
import type { Message, Reaction } from '../../client/index.js';
import { pure, fieldOf } from '../shared/components.js';
import { characterOf, Content } from './content.js';
import type { Model } from './model.js';
import { pollOf, PollView } from './poll.js';
import { timesOf } from './times.js';

/** Offered on every message; others are written by name. */
const COMMON = ['👍', '🎉', '😄', '❤️', '👀', '✅'] as const;
const NAMES: Readonly<Record<(typeof COMMON)[number], string>> = {
  '👍': '+1',
  '🎉': 'tada',
  '😄': 'big_smile',
  '❤️': 'heart',
  '👀': 'eyes',
  '✅': 'check',
};

interface Props {
  readonly model: Model;
  readonly message: Message;
  /** Whether author and time stand above it. */
  readonly hasHead: boolean;
  /** Whether it is shown as found, with what was searched for marked. */
  readonly isFound: boolean;
}

/** Drawn again only where the message is another object. */
export const MessageRow = pure<Props>(Row);

function Row({ model, message, hasHead, isFound }: Props) {
  const [mode, setMode] = useState<'read' | 'react' | 'edit'>('read');
  const { client, me } = model;
  const isMine = message.sender_id === me.user_id;
  const isStarred = message.flags.includes('starred');
  const time = timesOf(message.timestamp);
  const star = (): void => {
    const op = isStarred ? 'remove' : 'add';
    model.quietly(
      client.call('POST /messages/flags', { messages: [message.id], op, flag: 'starred' }),
    );
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
    if (event.key === '+') setMode('react');
    else if (event.key === 's') star();
    else if (event.key === 'e' && isMine) setMode('edit');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <article
      class={`message ${hasHead ? 'with-head' : ''} ${message.flags.includes('mentioned') ? 'mentioned' : ''}`}
      id={`message-${message.id}`}
      tabIndex={-1}
      onKeyDown={pressed}
      onDblClick={() => isMine && setMode('edit')}
      aria-label={`${message.sender_full_name}, ${time.clock}`}
    >
      {hasHead && (
        <header>
          <img class="avatar" src={pictureOf(message)} alt="" width={32} height={32} />
          <strong>
            <bdi>{message.sender_full_name}</bdi>
          </strong>{' '}
          <time dateTime={time.iso} title={time.whole}>
            {time.short}
          </time>
        </header>
      )}
      {mode === 'edit' ? (
        <Edit model={model} message={message} onDone={() => setMode('read')} />
      ) : (
        <Body model={model} message={message} isFound={isFound} />
      )}
      {message.last_edit_timestamp !== undefined && <small>edited</small>}
      <Reactions model={model} message={message} />
      {mode === 'react' && (
        <Picker model={model} message={message} onDone={() => setMode('read')} />
      )}
      <div class="actions">
        <button class="plain" title="React" aria-label="React" onClick={() => setMode('react')}>
          ☺
        </button>
        <button
          class="plain"
          title="Star"
          aria-label="Star"
          aria-pressed={isStarred}
          onClick={star}
        >
          {isStarred ? '★' : '☆'}
        </button>
        {isMine && (
          <button class="plain" title="Edit" aria-label="Edit" onClick={() => setMode('edit')}>
            ✎
          </button>
        )}
      </div>
    </article>
  );
}

/** What the message says, or the poll that it is. */
function Body({ model, message, isFound }: Omit<Props, 'hasHead'>) {
  const poll = pollOf(message);
  if (poll) return <PollView model={model} message={message} poll={poll} />;
  return (
    <Content
      html={(isFound && message.match_content) || message.content}
      client={model.client}
      actor={message.is_me_message ? message.sender_full_name : undefined}
    />
  );
}

/** The author's picture, or the one that this server draws: nothing is fetched from elsewhere. */
function pictureOf({ avatar_url, sender_id }: Message): string {
  const own = avatar_url !== null && new URL(avatar_url, location.href).origin === location.origin;
  return own ? avatar_url : `/user_avatars/identicon/${sender_id}.png`;
}

function Reactions({ model, message }: { model: Model; message: Message }) {
  const groups = new Map<string, Reaction[]>();
  for (const one of message.reactions) {
    groups.set(one.emoji_code, [...(groups.get(one.emoji_code) ?? []), one]);
  }
  if (groups.size === 0) return null;
  return (
    <p class="reactions">
      {[...groups.values()].map((group) => {
        const [{ emoji_name, emoji_code, reaction_type }] = group as [Reaction];
        const isMine = group.some(({ user_id }) => user_id === model.me.user_id);
        const who = group.map(({ user_id }) => model.nameOf(user_id)).join(', ');
        return (
          <button
            key={emoji_code}
            aria-pressed={isMine}
            aria-label={`${emoji_name}, ${group.length}`}
            title={`${emoji_name}: ${who}`}
            onClick={() => react(model, message, emoji_name, isMine)}
          >
            {reaction_type === 'unicode_emoji' ? characterOf(emoji_code) : `:${emoji_name}:`}{' '}
            {group.length}
          </button>
        );
      })}
    </p>
  );
}

function react(model: Model, { id }: Message, emoji_name: string, isMine: boolean): void {
  const params = { message_id: id, emoji_name };
  const name = '/messages/{message_id}/reactions';
  model.quietly(
    isMine
      ? model.client.call(`DELETE ${name}`, params)
      : model.client.call(`POST ${name}`, params),
  );
}

type PartProps = Pick<Props, 'model' | 'message'> & { readonly onDone: () => void };

function Picker({ model, message, onDone }: PartProps) {
  const choose = (name: string): void => {
    react(model, message, name, false);
    onDone();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const name = fieldOf(event, 'name');
    choose(name.replace(/^:|:$/g, ''));
  };
  return (
    <form
      class="picker"
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
      aria-label="React"
    >
      {COMMON.map((character, index) => (
        <button
          key={character}
          type="button"
          aria-label={NAMES[character]}
          ref={(button) => void (index === 0 && button?.focus())}
          onClick={() => choose(NAMES[character])}
        >
          {character}
        </button>
      ))}
      <input name="name" placeholder="name of an emoji" aria-label="Name of an emoji" required />
    </form>
  );
}

function Edit({ model, message, onDone }: PartProps) {
  const [text, setText] = useState<string>();
  const [error, setError] = useState('');
  const { client } = model;
  const message_id = message.id;
  if (text === undefined) {
    client.call('GET /messages/{message_id}', { message_id, apply_markdown: false }).then(
      (reply) => setText(reply.message.content),
      (reason: Error) => setError(reason.message),
    );
  }
  const save = (): void => {
    client
      .call('PATCH /messages/{message_id}', { message_id, content: text })
      .then(onDone, (reason: Error) => setError(reason.message));
  };
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <textarea
        aria-label="Edit the message"
        value={text ?? ''}
        disabled={text === undefined}
        ref={(box) => void box?.focus()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          save();
        }}
      />
      <button>Save</button>
      <button type="button" class="plain" onClick={onDone}>
        Cancel
      </button>
      {error !== '' && <p role="alert">{error}</p>}
    </form>
  );
}
