import { markdownLink } from '../../languages/markdown-link.js';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Model } from './model.js';
import { Content } from './content.js';
import { open } from './later/open.js';
import { Icon, IconButton } from './parts/icon.js';
import { say } from './say.js';
import { listText, type View } from './view.js';
import { completionAt, Completions, type Option } from './writing/completion.js';
import { EmojiPicker } from './writing/emoji-picker.js';

/** The part of the longest text from which on its length is told. */
const TELL_AT = 0.9;

/** Where one writes: text, files by paste, drop or choice, a preview. */
export function Composer({ model }: { model: Model }) {
  const { view, drafts, surface } = model;
  const box = useRef<HTMLTextAreaElement>(null);
  const [topic, setTopic] = useState('');
  const needsTopic = view.kind === 'channel' && view.topic === undefined;
  const target: View = needsTopic ? { ...view, topic: topic.trim() } : view;
  // Until it has a topic, a text waits with those of the empty one.
  const place: View = needsTopic ? { ...view, topic: '' } : view;
  const [text, setText] = useState(() => drafts.of(place));
  const [preview, setPreview] = useState<string>();
  const [status, setStatus] = useState('');
  const [picking, pick] = useState(false);
  const [chosen, setChosen] = useState(0);
  const [isClosed, close] = useState(false);
  /** Files that are on their way, and whether the message is to be sent when they have come. */
  const [uploads, countUploads] = useState(0);
  const [isDue, setDue] = useState(false);
  const cursor = box.current?.selectionStart ?? 0;
  const completion = preview === undefined && !isClosed ? completionAt(model, text, cursor) : null;
  const length = [...text].length;
  const isTooLong = length > model.maxLength;

  useEffect(() => drafts.listen(place, setText), []);
  useEffect(() => {
    // On a phone the keyboard would cover what one came to read; who is led to a message begins there.
    const isLed = 'near' in view && view.near !== undefined;
    if (!isLed && matchMedia('(min-width: 700px)').matches) box.current?.focus();
  }, []);

  useEffect(() => {
    if (!isDue || uploads > 0) return;
    setDue(false);
    send();
  }, [isDue, uploads]);

  const change = (value: string): void => {
    setText(value);
    drafts.set(place, value);
    setPreview(undefined);
    setChosen(0);
    close(false);
    model.typing.tell(target, value !== '');
  };
  const send = (): void => {
    if (uploads > 0) return setDue(true);
    if (text.trim() === '') return;
    if (isTooLong) return setStatus(say('common.too-long', { count: length - model.maxLength }));
    model.outbox.send(target, text);
    setStatus('');
    change('');
    if (needsTopic) model.go(target);
    else model.reading.toNewest();
    box.current?.focus();
  };
  /** Puts a text in the place of what stands between two places. */
  const put = (value: string, from: number, to: number): void => {
    const next = text.slice(0, from) + value + text.slice(to);
    change(next);
    const field = box.current!;
    // At once, and not with the next frame: what is typed before it would go to another place.
    field.value = next;
    field.focus();
    const at = from + value.length;
    field.setSelectionRange(at, at);
  };
  const complete = (option: Option): void => put(option.text, completion!.from, cursor);
  const upload = async (files: readonly File[]): Promise<void> => {
    countUploads((before) => before + files.length);
    for (const file of files) {
      setStatus(say('write.uploading', { file: file.name }));
      try {
        const { url } = await model.client.upload(file, file.name);
        setText((now) => {
          const next = `${now}${now === '' || now.endsWith('\n') ? '' : '\n'}${markdownLink(file.name, url)}\n`;
          drafts.set(place, next);
          return next;
        });
        setStatus('');
      } catch (error) {
        const reason = (error as Error).message;
        setStatus(say('write.upload-failed', { file: file.name, reason }));
        // What was to go with it goes when its author says so.
        setDue(false);
      } finally {
        countUploads((before) => before - 1);
      }
    }
    box.current?.focus();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const options = completion?.options ?? [];
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (options.length > 0 && by !== 0) setChosen((chosen + by + options.length) % options.length);
    else if (options.length > 0 && ['Tab', 'Enter'].includes(event.key) && !event.shiftKey) {
      complete(options[chosen]!);
    } else if (event.key === '>' && options[chosen]?.open !== undefined) {
      put(options[chosen].open, completion!.from, cursor);
    } else if (options.length > 0 && event.key === 'Escape') close(true);
    else if (event.key === 'Escape') return box.current?.blur();
    else if (event.key === 'ArrowUp' && text === '') return editLast(event, model);
    else if (event.key === 'Enter' && !event.shiftKey) send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const show = (): void => {
    if (preview !== undefined) setPreview(undefined);
    else {
      const rendered = model.client.call('POST /messages/render', { content: text });
      surface.attempt(rendered, (reply) => setPreview(reply.rendered));
    }
  };
  const call = (): void =>
    surface.attempt(model.calls!(), (url) =>
      put(`${markdownLink(say('write.call-link'), url)} `, text.length, text.length),
    );
  const whereto = say('write.to', { conversation: model.titleOf(target) });
  const typists = model.typing.at(view).map((id) => model.nameOf(id));
  return (
    <form
      class="composer"
      aria-label={say('write.label')}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void upload([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <p class="typing" role="status">
        {typists.length > 0 &&
          say('write.typing', { count: typists.length, people: listText(typists) })}
      </p>
      {needsTopic && (
        <input
          aria-label={say('write.topic')}
          dir="auto"
          placeholder={say('write.topic-hint', { topic: model.emptyTopic })}
          maxLength={60}
          value={topic}
          onInput={(event) => setTopic(event.currentTarget.value)}
        />
      )}
      {completion && (
        <Completions
          id="completions"
          options={completion.options}
          chosen={chosen}
          onChoose={complete}
        />
      )}
      {picking && (
        <EmojiPicker
          model={model}
          label={say('write.emoji')}
          onClose={() => {
            pick(false);
            box.current?.focus();
          }}
          onChoose={({ name, text: characters }) => {
            pick(false);
            put(characters ?? `:${name}:`, cursor, box.current?.selectionEnd ?? cursor);
          }}
        />
      )}
      {preview !== undefined && <Content names={model} facts={model.facts} html={preview} />}
      <div class="field">
        <textarea
          id="compose"
          dir="auto"
          ref={box}
          rows={Math.min(10, text.split('\n').length)}
          hidden={preview !== undefined}
          aria-label={whereto}
          aria-autocomplete="list"
          aria-controls={completion ? 'completions' : undefined}
          aria-activedescendant={completion ? `completions-${chosen}` : undefined}
          placeholder={whereto}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={pressed}
          onPaste={(event) => {
            const files = [...(event.clipboardData?.files ?? [])];
            if (files.length === 0) return;
            event.preventDefault();
            void upload(files);
          }}
        />
        <div class="buttons">
          <label class="file plain icon-button" title={say('write.attach')}>
            <Icon name="clip" />
            <span class="hidden">{say('write.attach')}</span>
            <input
              type="file"
              multiple
              onChange={(event) => {
                void upload([...(event.currentTarget.files ?? [])]);
                event.currentTarget.value = '';
              }}
            />
          </label>
          <IconButton icon="smile" label={say('write.emoji')} onClick={() => pick(!picking)} />
          {model.calls && <IconButton icon="video" label={say('write.call')} onClick={call} />}
          <button type="button" class="plain" disabled={text.trim() === ''} onClick={show}>
            {say(preview === undefined ? 'write.preview' : 'write.write')}
          </button>
          <span role="status" class={isTooLong ? 'too-long' : ''}>
            {isDue ? say('write.due') : status}{' '}
            {length > model.maxLength * TELL_AT &&
              say('write.length', { length, most: model.maxLength })}
          </span>
          {text.trim() !== '' && (
            <IconButton
              icon="clock"
              label={say('later.send')}
              onClick={() => open('showSendLater', model, target, text, () => change(''))}
            />
          )}
          <button
            class="send"
            disabled={(text.trim() === '' && uploads === 0) || isTooLong || isDue}
          >
            {say('write.send')}
          </button>
        </div>
      </div>
    </form>
  );
}

/** Opens the reader's own last message for editing, as a double click does. */
function editLast(event: KeyboardEvent, model: Model): void {
  const { pages, view, me } = model;
  const own = pages
    .of(view)
    ?.ids.findLast((id) => pages.messages.get(id)?.sender_id === me.user_id);
  if (own === undefined) return;
  event.preventDefault();
  document.getElementById(`message-${own}`)?.dispatchEvent(new MouseEvent('dblclick'));
}
