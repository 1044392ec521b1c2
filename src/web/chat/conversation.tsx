import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Message } from '../../client/index.js';
import { Composer } from './composer.js';
import { Header } from './header.js';
import { MessageRow } from './message.js';
import type { Model } from './model.js';
import { pure } from '../shared/components.js';
import { dayOf, dayText } from './times.js';
import { addressOf, conversationOf, isConversation } from './view.js';

/** Pixels from the top at which older messages are loaded, and from the bottom that count as being there. */
const LOAD_AT = 400;
const BOTTOM = 40;
/** Messages whose ids are within a stretch of so many share a block, which is laid out only where it is in sight. */
const BLOCK = 10;
/** Messages of one author within so many seconds share a head. */
const TOGETHER_SECONDS = 300;

export function Conversation({ model }: { model: Model }) {
  const { view } = model;
  return (
    <>
      <Header model={model} />
      <Messages key={addressOf(view)} model={model} />
      {isConversation(view) && <Composer key={`compose ${addressOf(view)}`} model={model} />}
    </>
  );
}

/** What was drawn last, to keep the place when messages come above or below. */
interface Drawn {
  first: number | undefined;
  /** Where the first message is on the screen. Pixels. */
  top: number;
  atBottom: boolean;
}

function topOf(id: number | undefined): number | undefined {
  return document.getElementById(`message-${id}`)?.getBoundingClientRect().top;
}

function Messages({ model }: { model: Model }) {
  const { view, pages } = model;
  const list = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn>({ first: undefined, top: 0, atBottom: true });
  const page = pages.of(view);
  const messages = (page?.ids ?? []).flatMap((id) => pages.messages.get(id) ?? []);
  const outgoing = model.outbox.of(view);
  const [first] = messages;

  const seen = (): void => {
    const box = list.current;
    if (!box) return;
    drawn.current.top = topOf(drawn.current.first) ?? 0;
    drawn.current.atBottom = box.scrollHeight - box.scrollTop - box.clientHeight < BOTTOM;
    if (box.scrollTop < LOAD_AT) pages.older(view);
    const isRead = drawn.current.atBottom && document.visibilityState === 'visible';
    if (isRead && isConversation(view)) model.markRead(pages.of(view)?.ids ?? []);
  };
  useLayoutEffect(() => {
    const box = list.current!;
    const { current } = drawn;
    if (current.atBottom) box.scrollTop = box.scrollHeight;
    else if (current.first !== first?.id) {
      box.scrollTop += (topOf(current.first) ?? current.top) - current.top;
    }
    current.first = first?.id;
    current.top = topOf(current.first) ?? 0;
  });
  useEffect(seen, [messages.length, outgoing.length]);
  useEffect(() => {
    document.addEventListener('visibilitychange', seen);
    // Pictures grow after they were drawn.
    const grown = new ResizeObserver(() => {
      const box = list.current!;
      if (drawn.current.atBottom) box.scrollTop = box.scrollHeight;
    });
    grown.observe(list.current!.firstElementChild!);
    return () => {
      document.removeEventListener('visibilitychange', seen);
      grown.disconnect();
    };
  }, []);

  return (
    <div
      class="scroll messages"
      ref={list}
      onScroll={seen}
      tabIndex={0}
      role="region"
      aria-label="Messages"
    >
      <div role="log" aria-live="polite" aria-busy={page?.loading ?? false}>
        {page?.loading && <p class="empty">Loading …</p>}
        {page?.error !== undefined && <p role="alert">{page.error}</p>}
        {page && !page.loading && messages.length === 0 && outgoing.length === 0 && (
          <p class="empty">
            {isConversation(view) ? 'Nothing was written here yet.' : 'Nothing found.'}
          </p>
        )}
        {blocksOf(messages).map((block) => (
          <div key={block.number} class="block">
            {block.rows.map(([message, before]) => (
              <Place key={message.id} {...{ model, message, before }} at={addressOf(view)} />
            ))}
          </div>
        ))}
        {outgoing.map(({ localId, content, refusal }) => (
          <article
            key={localId}
            class={`message outgoing ${refusal === undefined ? '' : 'refused'}`}
          >
            <p>{content}</p>
            {refusal === undefined ? (
              <small>sending …</small>
            ) : (
              <p role="alert">
                {refusal}{' '}
                <button class="plain" onClick={() => model.outbox.drop(localId)}>
                  Dismiss
                </button>
              </p>
            )}
          </article>
        ))}
      </div>
    </div>
  );
}

type Row = readonly [message: Message, before: Message | undefined];

/** Blocks keep their messages, whatever comes before or behind them. */
function blocksOf(messages: readonly Message[]): { number: number; rows: Row[] }[] {
  const blocks: { number: number; rows: Row[] }[] = [];
  messages.forEach((message, index) => {
    const number = Math.floor(message.id / BLOCK);
    if (blocks.at(-1)?.number !== number) blocks.push({ number, rows: [] });
    blocks.at(-1)!.rows.push([message, messages[index - 1]]);
  });
  return blocks;
}

interface PlaceProps {
  readonly model: Model;
  readonly message: Message;
  readonly before: Message | undefined;
  /** Address of the view. */
  readonly at: string;
}

/** A message with what stands above it: the day, and the conversation where it is another one. */
const Place = pure<PlaceProps>(({ model, message, before, at }) => {
  const { user_id: me } = model.me;
  const isNewDay = !before || dayOf(before.timestamp) !== dayOf(message.timestamp);
  const own = conversationOf(message, me);
  const isElsewhere =
    addressOf(own) !== at && (!before || addressOf(conversationOf(before, me)) !== addressOf(own));
  const hasHead =
    isNewDay ||
    isElsewhere ||
    before.sender_id !== message.sender_id ||
    message.timestamp - before.timestamp > TOGETHER_SECONDS;
  return (
    <>
      {isNewDay && <h2 class="day">{dayText(message.timestamp)}</h2>}
      {isElsewhere && (
        <h3 class="place">
          <a href={addressOf(own)}>{model.titleOf(own)}</a>
        </h3>
      )}
      <MessageRow model={model} message={message} hasHead={hasHead} />
    </>
  );
});
