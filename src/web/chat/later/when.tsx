import { useState } from 'preact/hooks';
import { say } from '../say.js';
import { wholeText } from '../times.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** The hour at which a day of work begins, for what is to come tomorrow. */
const MORNING = 9;

interface Props {
  /** What is done, on its button. */
  readonly action: string;
  /** UNIX time in seconds, where one is set already. */
  readonly first?: number;
  /** @param at UNIX time in seconds */
  readonly onChoose: (at: number) => void;
}

/** Chooses a time to come: one of the usual ones, or any. */
export function When({ action, first, onChoose }: Props) {
  const [text, setText] = useState(() => localText(first ?? Date.now() / 1000 + HOUR));
  const at = new Date(text).getTime() / 1000;
  return (
    <>
      <p class="choices usual">
        {usual().map((seconds) => (
          <button
            key={seconds}
            type="button"
            class="plain"
            onClick={() => setText(localText(seconds))}
          >
            {wholeText(new Date(seconds * 1000))}
          </button>
        ))}
      </p>
      <label for="when">{say('when.label')}</label>
      <p class="field-row">
        <input
          id="when"
          type="datetime-local"
          value={text}
          required
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="button" disabled={!(at > Date.now() / 1000)} onClick={() => onChoose(at)}>
          {action}
        </button>
      </p>
    </>
  );
}

/** In an hour, tomorrow morning, and in a week in the morning. UNIX time in seconds. */
function usual(): number[] {
  const now = new Date();
  const morning = (days: number): number =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING).getTime() / 1000;
  const inAnHour = Math.ceil(now.getTime() / 1000 / MINUTE) * MINUTE + HOUR;
  return [inAnHour, morning(1), morning(7)];
}

/** As the field wants it: the local time, to the minute. */
function localText(seconds: number): string {
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE * 1000).toISOString().slice(0, 16);
}
