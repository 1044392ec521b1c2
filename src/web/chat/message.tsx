import { useState } from 'preact/hooks';
import type { Message } from '../../client/index.js';
import { pure } from '../shared/components.js';
import { Content } from './content.js';
import { open } from './later/open.js';
import type { Model } from './model.js';
import { Avatar } from './parts/avatar.js';
import { IconButton } from './parts/icon.js';
import { Menu } from './parts/menu.js';
import { pollOf, PollView } from './poll.js';
import { messageItems } from './reading/message-menu.js';
import { authorOf } from './reading/names.js';
import { react, Reactions } from './reading/reactions.js';
import { say } from './say.js';
import { timesOf } from './times.js';
import { conversationOf, isConversation, placeOf } from './view.js';
import { Edit } from './writing/edit.js';
import { EmojiPicker } from './writing/emoji-picker.js';
import { quote } from './writing/quote.js';

interface Props {
  readonly model: Model;
  readonly message: Message;
  /** Whether author and time stand above it. */
  readonly hasHead: boolean;
  /** {@link Model.facts}, by which a row is drawn again. */
  readonly facts: number;
  /** Whether it is shown as found, with what was searched for marked. */
  readonly isFound: boolean;
}

/** Drawn again only where the message is another object, or what it shows by ids has changed. */
export const MessageRow = pure<Props>(Row);

function Row(props: Props) {
  const { model, message } = props;
  const [isShown, show] = useState(false);
  if (!model.ignored.has(message.sender_id) || isShown) return <Whole {...props} />;
  return (
    <article class="message ignored" id={`message-${message.id}`} tabIndex={-1}>
      <small>{say('ignored.message')}</small>{' '}
      <button class="plain" onClick={() => show(true)}>
        {say('ignored.show')}
      </button>
    </article>
  );
}

function Whole({ model, message, hasHead, isFound, facts }: Props) {
  const [mode, setMode] = useState<'read' | 'react' | 'edit'>('read');
  const { client, me, surface } = model;
  const isMine = message.sender_id === me.user_id;
  const author = authorOf(model, message);
  const isStarred = message.flags.includes('starred');
  const isMentioned = message.flags.includes('mentioned');
  const time = timesOf(message.timestamp);
  const star = (): void => {
    const op = isStarred ? 'remove' : 'add';
    surface.attempt(
      client.call('POST /messages/flags', { messages: [message.id], op, flag: 'starred' }),
    );
  };
  const quoteIt = (): void => surface.attempt(quote(model, message));
  const done = (): void => {
    setMode('read');
    document.getElementById(`message-${message.id}`)?.focus({ preventScroll: true });
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
    if (event.key === '+') setMode('react');
    else if (event.key === 's') star();
    else if (event.key === 'q') quoteIt();
    else if (event.key === 'e' && isMine) setMode('edit');
    else if (event.key === 'Enter' && isFound) goThere();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const goThere = (): void =>
    void (location.hash = placeOf(conversationOf(message, me.user_id), message.id));
  const clicked = (event: MouseEvent): void => {
    const address = pictureAt(event);
    if (address !== null) {
      event.preventDefault();
      return open('showViewer', model, address);
    }
    const mention = (event.target as Element).closest<HTMLElement>('.user-mention');
    const id = Number(mention?.dataset['userId']);
    if (model.users.has(id)) open('showProfile', model, id);
  };
  return (
    <article
      class={`message ${hasHead ? 'with-head' : ''} ${isMentioned ? 'mentioned' : ''}`}
      id={`message-${message.id}`}
      tabIndex={-1}
      onKeyDown={pressed}
      onClick={clicked}
      onDblClick={() => isMine && setMode('edit')}
      aria-label={say('message.label', { sender: author.full_name, time: time.clock })}
    >
      {hasHead && (
        <header>
          <Avatar userId={message.sender_id} url={author.avatar_url} size={36} />
          <button class="author" onClick={() => open('showProfile', model, message.sender_id)}>
            <bdi>{author.full_name}</bdi>
          </button>{' '}
          <time dateTime={time.iso} title={time.whole}>
            {time.short}
          </time>
          {isFound && (
            <a class="go-there" href={placeOf(conversationOf(message, me.user_id), message.id)}>
              {say('message.go-there')}
            </a>
          )}
        </header>
      )}
      {mode === 'edit' ? (
        <Edit model={model} message={message} onDone={done} />
      ) : (
        <Body {...{ model, message, isFound, facts }} />
      )}
      {message.last_edit_timestamp !== undefined && <small>{say('message.edited')}</small>}
      <Reactions model={model} message={message} />
      {mode === 'react' && (
        <EmojiPicker
          model={model}
          label={say('message.react')}
          onClose={done}
          onChoose={({ name }) => {
            react(model, message, name, false);
            done();
          }}
        />
      )}
      <div class="actions">
        <IconButton icon="smile" label={say('message.react')} onClick={() => setMode('react')} />
        {isConversation(model.view) && (
          <IconButton icon="quote" label={say('message.quote')} onClick={quoteIt} />
        )}
        <IconButton icon="star" label={say('message.star')} pressed={isStarred} onClick={star} />
        <Menu
          icon="more"
          label={say('common.more')}
          items={() => messageItems(model, message, () => setMode('edit'))}
        />
      </div>
    </article>
  );
}

/** The file of a picture of this server that is pressed; null where another tab is wanted, or it is another thing. */
function pictureAt(event: MouseEvent): string | null {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return null;
  const link = (event.target as Element).closest('.content a:has(img)');
  const address = link?.getAttribute('href') ?? '';
  return address.startsWith('/user_uploads/') ? address : null;
}

/** What the message says, or the poll that it is. */
function Body({ model, message, isFound, facts }: Omit<Props, 'hasHead'>) {
  const poll = pollOf(message);
  if (poll) return <PollView model={model} message={message} poll={poll} />;
  return (
    <Content
      names={model}
      facts={facts}
      html={(isFound && message.match_content) || message.content}
      actor={message.is_me_message ? authorOf(model, message).full_name : undefined}
    />
  );
}
