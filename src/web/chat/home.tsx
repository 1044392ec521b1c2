import { useEffect, useState } from 'preact/hooks';
import type { Message } from '../../client/index.js';
import { Header } from './header.js';
import { textOf } from './content.js';
import { open } from './later/open.js';
import type { Model } from './model.js';
import { Avatar } from './parts/avatar.js';
import { Icon } from './parts/icon.js';
import { isIn } from './people/groups.js';
import { pollOf } from './poll.js';
import { authorOf } from './reading/names.js';
import { say } from './say.js';
import { agoText, dayText, numberText } from './times.js';
import { viewAt } from './view.js';

/** Conversations shown at most: nobody reads on. */
const MOST_ROWS = 60;

/** Letters of a message that a line of the inbox has room for. */
const MOST_LETTERS = 160;

/** What is unread and what was begun, and the few things that begin a team. */
export function Home({ model }: { model: Model }) {
  const rows = model.unreadConversations().slice(0, MOST_ROWS);
  const drafts = model.drafts.all();
  useEffect(() => model.inbox.load(rows.map(({ newest }) => newest)));
  return (
    <>
      <Header model={model} />
      <div class="scroll home" tabIndex={0} role="region" aria-label={say('home.label')}>
        {rows.length === 0 ? (
          <div class="empty">
            <Icon name="check" />
            <p>{say('home.all-read')}</p>
          </div>
        ) : (
          <ul class="inbox">
            {rows.map((row) => (
              <Conversation key={row.address} model={model} {...row} />
            ))}
          </ul>
        )}
        {drafts.length > 0 && (
          <section aria-label={say('home.drafts')}>
            <h2>{say('home.drafts')}</h2>
            <ul class="inbox">
              {drafts.map(({ address, text }) => (
                <li key={address}>
                  <a href={address}>
                    <Icon name="edit" />
                    <span class="what">
                      <strong>{model.titleOf(viewAt(address))}</strong>
                      <span class="line-of-text" dir="auto">
                        {text}
                      </span>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        <Begin model={model} />
      </div>
    </>
  );
}

interface RowProps {
  readonly model: Model;
  readonly address: string;
  readonly count: number;
  readonly newest: number;
}

function Conversation({ model, address, count, newest }: RowProps) {
  const view = viewAt(address);
  const message = model.pages.messages.get(newest);
  const author = message && authorOf(model, message);
  const line = message ? lineOf(message) : '';
  const isMine = message?.sender_id === model.me.user_id;
  // Its name stands above.
  const isBetweenTwo = view.kind === 'direct' && view.userIds.length === 1;
  const channel = view.kind === 'channel' ? model.channels.get(view.channelId) : undefined;
  return (
    <li>
      <a href={address}>
        {message && <Avatar userId={message.sender_id} url={author?.avatar_url} size={36} />}
        <span class="what">
          <strong>
            {view.kind === 'channel' && (
              <Icon name={channel?.invite_only ? 'lock' : 'hash'} color={channel?.color} />
            )}
            {model.titleOf(view).replace(/^#/, '')}
          </strong>
          <span class="line-of-text" dir="auto">
            {message
              ? isMine
                ? say('home.preview-own', { text: line })
                : isBetweenTwo
                  ? line
                  : say('home.preview', { sender: author!.full_name, text: line })
              : '…'}
          </span>
        </span>
        <span class="when">
          {message && <time>{agoText(message.timestamp)}</time>}
          <span class="count">
            <span aria-hidden="true">{numberText(count)}</span>
            <span class="hidden"> {say('row.unread', { count })}</span>
          </span>
        </span>
      </a>
    </li>
  );
}

/** What a line of the inbox shows of a message. */
function lineOf(message: Message): string {
  const poll = pollOf(message);
  if (poll) return say('home.poll', { question: poll.question || say('poll.untitled') });
  const text = textOf(message.content);
  return text === '' ? say('home.file') : text.slice(0, MOST_LETTERS);
}

interface Invitation {
  readonly link: string;
  /** When it ends, seconds since 1970; null where it does not. */
  readonly until: number | null;
}

function Begin({ model }: { model: Model }) {
  const [link, setLink] = useState<Invitation>();
  const [mayInvite, allow] = useState(false);
  const { surface } = model;
  const inviters = model.allowed.invite;
  useEffect(() => {
    if (inviters !== undefined) model.quietly(isIn(model, inviters).then(allow));
  }, [inviters]);
  const invite = (): void => {
    const params = { include_realm_default_subscriptions: true };
    surface.attempt(
      model.client.call('POST /invites/multiuse', params).then(async ({ invite_link: link }) => {
        // The operator decides how long links are good for.
        const { invites } = await model.client.call('GET /invites', {});
        return { link, until: invites.find((one) => one.link_url === link)?.expiry_date ?? null };
      }),
      setLink,
    );
  };
  return (
    <section class="begin" aria-label={say('home.begin')}>
      <button onClick={() => open('showNewConversation', model)}>
        <Icon name="person" /> {say('home.write')}
      </button>
      <button onClick={() => open('showBrowse', model)}>
        <Icon name="browse" /> {say('channel.browse')}
      </button>
      {model.canCreate && (
        <button onClick={() => open('showCreate', model)}>
          <Icon name="plus" /> {say('channel.new')}
        </button>
      )}
      {mayInvite && (
        <button onClick={invite}>
          <Icon name="link" /> {say('home.invite')}
        </button>
      )}
      {link && (
        <p>
          <label for="invite-link">{say('home.invite-link')}</label>
          <input
            id="invite-link"
            class="wide-field"
            value={link.link}
            readOnly
            ref={(input) => input?.select()}
          />
          {link.until !== null && (
            <small>{say('home.invite-until', { day: dayText(link.until) })}</small>
          )}
        </p>
      )}
    </section>
  );
}
