import type { Message } from '../../../client/index.js';
import { pure } from '../../shared/components.js';
import { MessageRow } from '../message.js';
import type { Model } from '../model.js';
import { say } from '../say.js';
import { dayOf, dayText } from '../times.js';
import { addressOf, conversationOf, isConversation, placeOf } from '../view.js';

/** Messages whose ids are within a stretch of so many share a block, which is laid out only where it is in sight. */
const BLOCK = 10;
/** Messages of one author within so many seconds share a head. */
const TOGETHER_SECONDS = 300;

type Row = readonly [message: Message, before: Message | undefined];

/** The messages of a view, with what stands between them. */
export function Rows({ model, messages }: { model: Model; messages: readonly Message[] }) {
  const { view } = model;
  const newFrom = model.pages.of(view)?.newFrom;
  return (
    <>
      {blocksOf(messages).map((block) => (
        <div key={block.number} class="block">
          {block.rows.map(([message, before]) => (
            <Place
              key={message.id}
              {...{ model, message, before }}
              facts={model.facts}
              at={addressOf(view)}
              isFound={!isConversation(view)}
              isNew={isFirstNew(newFrom, message.id, before?.id)}
            />
          ))}
        </div>
      ))}
    </>
  );
}

/** The message itself may have gone: then the line stands above the next one. */
function isFirstNew(newFrom: number | undefined, id: number, before: number | undefined): boolean {
  return (
    newFrom !== undefined &&
    id >= newFrom &&
    (before === undefined ? id === newFrom : before < newFrom)
  );
}

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
  /** {@link Model.facts}. */
  readonly facts: number;
  /** Address of the view. */
  readonly at: string;
  /** Whether the view is no conversation: each message leads to its place in one. */
  readonly isFound: boolean;
  /** Whether what is new begins here. */
  readonly isNew: boolean;
}

/** A message with what stands above it: the day, and the conversation where it is another one. */
const Place = pure<PlaceProps>(({ model, message, before, facts, at, isFound, isNew }) => {
  const { user_id: me } = model.me;
  const isNewDay = !before || dayOf(before.timestamp) !== dayOf(message.timestamp);
  const own = conversationOf(message, me);
  const isElsewhere =
    addressOf(own) !== at && (!before || addressOf(conversationOf(before, me)) !== addressOf(own));
  const hasHead =
    isNewDay ||
    isElsewhere ||
    isNew ||
    isFound ||
    before.sender_id !== message.sender_id ||
    message.timestamp - before.timestamp > TOGETHER_SECONDS;
  return (
    <>
      {isNewDay && <h2 class="day">{dayText(message.timestamp)}</h2>}
      {isNew && (
        <p class="new-line">
          <span>{say('messages.new')}</span>
        </p>
      )}
      {isElsewhere && (
        <h3 class="place">
          <a href={isFound ? placeOf(own, message.id) : addressOf(own)}>{model.titleOf(own)}</a>
        </h3>
      )}
      <MessageRow {...{ model, message, hasHead, isFound, facts }} />
    </>
  );
});
