import { useState } from 'preact/hooks';
import type { Message } from '../../../client/index.js';
import type { Model } from '../model.js';
import { say } from '../say.js';

interface Props {
  readonly model: Model;
  readonly message: Message;
  readonly onDone: () => void;
}

/** A message that its author changes. */
export function Edit({ model, message, onDone }: Props) {
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
    const excess = [...(text ?? '')].length - model.maxLength;
    if (excess > 0) return setError(say('common.too-long', { count: excess }));
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
        aria-label={say('message.edit')}
        dir="auto"
        value={text ?? ''}
        disabled={text === undefined}
        ref={(box) => void (box && document.activeElement !== box && box.focus())}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === 'Escape') onDone();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          save();
        }}
      />
      <button>{say('common.save')}</button>
      <button type="button" class="plain" onClick={onDone}>
        {say('common.cancel')}
      </button>
      {error !== '' && <p role="alert">{error}</p>}
    </form>
  );
}
