import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Composer } from './composer.js';
import { Header } from './header.js';
import type { Model } from './model.js';
import { Rows } from './reading/rows.js';
import { Sight, type Outside } from './reading/sight.js';
import { say } from './say.js';
import { askedText, Filters } from './search/filters.js';
import { addressOf, isConversation } from './view.js';

/** What a reader does to move by themselves. */
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

export function Conversation({ model }: { model: Model }) {
  const { view } = model;
  // Where a channel is none that the reader may see, nothing comes of what one writes.
  const isSeen = view.kind !== 'channel' || model.knownChannelName(view.channelId) !== undefined;
  const canWrite = isConversation(view) && isSeen;
  return (
    <>
      <Header model={model} />
      {view.kind === 'search' && <Filters model={model} text={view.text} />}
      <Messages key={addressOf(view)} model={model} />
      {canWrite && <Composer key={`compose ${addressOf(view)}`} model={model} />}
    </>
  );
}

function Messages({ model }: { model: Model }) {
  const { view, pages } = model;
  const list = useRef<HTMLDivElement>(null);
  const sight = useRef<Sight>();
  const [{ isAway, unread }, setOutside] = useState<Outside>({ isAway: false, unread: null });
  const page = pages.of(view);
  const messages = (page?.ids ?? []).flatMap((id) => pages.messages.get(id) ?? []);
  const outgoing = model.outbox.of(view);

  useLayoutEffect(() => {
    const box = list.current!;
    const tell = (next: Outside): void =>
      setOutside((now) => (now.isAway === next.isAway && now.unread === next.unread ? now : next));
    const here = new Sight(model, box, tell);
    sight.current = here;
    model.sight = here;
    const released = (): void => here.released();
    const moved = (): void => here.moved();
    for (const name of MOVES) box.addEventListener(name, released, { passive: true });
    document.addEventListener('visibilitychange', moved);
    // Pictures grow after they were drawn.
    const grown = new ResizeObserver(() => here.drawn());
    grown.observe(box.firstElementChild!);
    grown.observe(box);
    return () => {
      for (const name of MOVES) box.removeEventListener(name, released);
      document.removeEventListener('visibilitychange', moved);
      grown.disconnect();
      here.close();
    };
  }, []);
  useLayoutEffect(() => sight.current!.drawn());

  return (
    <div class="reading">
      <div
        class="scroll messages"
        ref={list}
        onScroll={() => sight.current?.moved()}
        tabIndex={0}
        role="region"
        aria-label={say('messages.label')}
      >
        <div role="log" aria-live="polite" aria-busy={page?.loading ?? false}>
          {page?.loading && messages.length === 0 && <p class="empty">{say('common.loading')}</p>}
          {page?.error !== undefined && (
            <p class="empty" role="alert">
              {page.error}{' '}
              <button class="plain" onClick={() => model.open(view)}>
                {say('messages.try-again')}
              </button>
            </p>
          )}
          {page &&
            !page.loading &&
            page.error === undefined &&
            messages.length === 0 &&
            outgoing.length === 0 && (
              <p class="empty">
                {view.kind === 'search'
                  ? say('search.none', { query: askedText(model, view.text) })
                  : say(isConversation(view) ? 'messages.none' : 'messages.none-found')}
              </p>
            )}
          <Rows model={model} messages={messages} />
          {outgoing.map(({ localId, content, refusal }) => (
            <article
              key={localId}
              class={`message outgoing ${refusal === undefined ? '' : 'refused'}`}
            >
              <p dir="auto">{content}</p>
              {refusal === undefined ? (
                <small>{say('messages.sending')}</small>
              ) : (
                <p role="alert">
                  {refusal}{' '}
                  <button class="plain" onClick={() => model.outbox.drop(localId)}>
                    {say('messages.dismiss')}
                  </button>
                </p>
              )}
            </article>
          ))}
        </div>
      </div>
      <p class="jumps">
        {unread && (
          <button onClick={() => model.reading.toFirstUnread()}>
            {say(unread === 'above' ? 'jump.unread-above' : 'jump.unread-below')}
          </button>
        )}
        {isAway && <button onClick={() => model.reading.toNewest()}>{say('jump.newest')}</button>}
      </p>
    </div>
  );
}
