import { useState } from 'preact/hooks';
import type { Message } from '../../../client/index.js';
import type { Model } from '../model.js';
import { Dialog } from '../parts/dialog.js';
import { say } from '../say.js';
import { ALPHABET } from '../times.js';

/** How much goes along with a message. */
const MODES = {
  change_one: 'move.one',
  change_later: 'move.later',
  change_all: 'move.all',
} as const;
type Mode = keyof typeof MODES;

type InChannel = Pick<Message, 'id' | 'stream_id' | 'subject'>;

/** Moves a message, or with it those of its topic, to another topic or channel. @param mode what is chosen at first */
export function showMove(model: Model, message: InChannel, mode: Mode = 'change_one'): void {
  model.surface.show(() => (
    <Dialog model={model} title={say(mode === 'change_all' ? 'topic.move' : 'move.title')}>
      <Move model={model} message={message} first={mode} />
    </Dialog>
  ));
}

interface Props {
  readonly model: Model;
  readonly message: InChannel;
  readonly first: Mode;
}

function Move({ model, message, first }: Props) {
  const [mode, choose] = useState<Mode>(first);
  const [error, setError] = useState('');
  const [topic, setTopic] = useState(message.subject);
  const [channelId, setChannel] = useState(message.stream_id!);
  const { surface, client } = model;
  const channels = [...model.channels.values()]
    .filter(({ is_archived }) => !is_archived)
    .sort((a, b) => ALPHABET.compare(a.name, b.name));
  const topics = model.topics.of(channelId);
  const change = {
    ...(channelId === message.stream_id ? {} : { stream_id: channelId }),
    ...(topic.trim() === message.subject ? {} : { topic: topic.trim() }),
  };
  const move = (event: SubmitEvent): void => {
    event.preventDefault();
    const params = {
      message_id: message.id,
      propagate_mode: mode,
      send_notification_to_old_thread: false,
      ...change,
    } as const;
    client.call('PATCH /messages/{message_id}', params).then(
      () => {
        surface.close();
        surface.say(say('move.done'));
      },
      (reason: Error) => setError(reason.message),
    );
  };
  return (
    <form onSubmit={move}>
      <label for="move-channel">{say('move.channel')}</label>
      <select
        id="move-channel"
        class="wide-field"
        value={channelId}
        onChange={(event) => {
          const id = Number(event.currentTarget.value);
          setChannel(id);
          model.topics.load(id);
        }}
      >
        {channels.map(({ stream_id, name }) => (
          <option key={stream_id} value={stream_id}>
            {name}
          </option>
        ))}
      </select>
      <label for="move-topic">{say('write.topic')}</label>
      <input
        id="move-topic"
        dir="auto"
        maxLength={60}
        list="move-topics"
        autocomplete="off"
        placeholder={model.emptyTopic}
        value={topic}
        onInput={(event) => setTopic(event.currentTarget.value)}
        autofocus
      />
      <datalist id="move-topics">
        {topics.map(({ name }) => name !== '' && <option key={name} value={name} />)}
      </datalist>
      <fieldset class="kinds">
        <legend>{say('move.what')}</legend>
        {Object.entries(MODES).map(([value, text]) => (
          <label key={value} class="switch">
            <input
              type="radio"
              name="mode"
              checked={mode === value}
              onChange={() => choose(value as Mode)}
            />
            {say(text)}
          </label>
        ))}
      </fieldset>
      {error !== '' && <p role="alert">{error}</p>}
      <p class="choices">
        <button disabled={Object.keys(change).length === 0}>{say('move.action')}</button>
      </p>
    </form>
  );
}
