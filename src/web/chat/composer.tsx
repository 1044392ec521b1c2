import { useEffect, useRef, useState } from 'preact/hooks';
import type { Model } from './model.js';
import { completed, Mentions, namesFor } from './mentions.js';
import { Content } from './content.js';
import { addressOf, type View } from './view.js';

/** Where one writes: text, files by paste, drop or choice, a preview. */
export function Composer({ model }: { model: Model }) {
  const { view, drafts } = model;
  const address = addressOf(view);
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(drafts.get(address) ?? '');
  const [topic, setTopic] = useState('');
  const [preview, setPreview] = useState<string>();
  const [status, setStatus] = useState('');
  const needsTopic = view.kind === 'channel' && view.topic === undefined;
  const target: View = needsTopic ? { ...view, topic: topic.trim() } : view;
  const mentioned =
    preview === undefined ? namesFor(model, text, box.current?.selectionStart ?? 0) : [];

  useEffect(
    () => void (drafts.set(address, text) && text === '' && drafts.delete(address)),
    [text],
  );
  // On a phone the keyboard would cover what one came to read.
  useEffect(() => void (matchMedia('(min-width: 700px)').matches && box.current?.focus()), []);

  const change = (value: string): void => {
    setText(value);
    setPreview(undefined);
    model.typing.tell(target, value !== '');
  };
  const send = (): void => {
    if (text.trim() === '') return;
    model.outbox.send(target, text);
    change('');
    if (needsTopic) model.go(target);
  };
  const upload = async (files: readonly File[]): Promise<void> => {
    for (const file of files) {
      setStatus(`Uploading ${file.name} …`);
      try {
        const { url } = await model.client.upload(file, file.name);
        setText(
          (now) => `${now}${now === '' || now.endsWith('\n') ? '' : '\n'}[${file.name}](${url})\n`,
        );
        setStatus('');
      } catch (error) {
        setStatus(`${file.name}: ${(error as Error).message}`);
      }
    }
    box.current?.focus();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') box.current?.blur();
    else if (event.key === 'Tab' && mentioned.length > 0 && !event.shiftKey) {
      event.preventDefault();
      complete(mentioned[0]!);
    } else if (event.key === 'ArrowUp' && text === '') editLast(event, model);
    else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  };
  const complete = (name: string): void => {
    change(completed(text, box.current!.selectionStart, name));
    box.current!.focus();
  };
  const show = (): void => {
    if (preview !== undefined) setPreview(undefined);
    else {
      model.client.call('POST /messages/render', { content: text }).then(
        ({ rendered }) => setPreview(rendered),
        (error: Error) => setStatus(error.message),
      );
    }
  };
  const typists = model.typing.at(view).map((id) => model.nameOf(id));
  return (
    <form
      class="composer"
      aria-label="Write a message"
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
          `${typists.join(', ')} ${typists.length === 1 ? 'is' : 'are'} typing …`}
      </p>
      {needsTopic && (
        <input
          aria-label="Topic"
          placeholder={`Topic (empty: ${model.emptyTopic})`}
          maxLength={60}
          value={topic}
          onInput={(event) => setTopic(event.currentTarget.value)}
        />
      )}
      <Mentions names={mentioned} onChoose={complete} />
      {preview !== undefined && <Content html={preview} client={model.client} />}
      <textarea
        id="compose"
        ref={box}
        rows={Math.min(10, text.split('\n').length + 1)}
        hidden={preview !== undefined}
        aria-label={`Message to ${model.titleOf(target)}`}
        placeholder={`Message to ${model.titleOf(target)}`}
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
        <button disabled={text.trim() === ''}>Send</button>
        <button type="button" class="plain" disabled={text.trim() === ''} onClick={show}>
          {preview === undefined ? 'Preview' : 'Write'}
        </button>
        <label class="file plain">
          Attach
          <input
            type="file"
            multiple
            onChange={(event) => {
              void upload([...(event.currentTarget.files ?? [])]);
              event.currentTarget.value = '';
            }}
          />
        </label>
        <span role="status">{status}</span>
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
