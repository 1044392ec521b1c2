import type { Model } from '../model.js';
import { Icon, type IconName } from '../parts/icon.js';
import { say } from '../say.js';

/** What is offered at once. */
const MOST = 6;
/** Groups among them. */
const MOST_GROUPS = 2;
/** What is being written up to the cursor, by the sign it begins with. */
const MENTION = /(?:^|\s)(@\*{0,2}([^@*\n]{1,40}))$/;
const CHANNEL = /(?:^|\s)(#\*{0,2}([^#*\n]{0,40}))$/;
const TOPIC = /(?:^|\s)(#\*{0,2}([^#*>\n]{1,60})>([^*>\n]{0,60}))$/;
const EMOJI = /(?:^|\s)(:([a-z0-9_+-]{2,40}))$/i;

export interface Option {
  readonly name: string;
  readonly sign: string | { readonly icon: IconName };
  readonly hint?: string;
  /** What takes the place of what was written. */
  readonly text: string;
  /** What takes that place when `>` asks for the topics of a channel. */
  readonly open?: string;
}

export interface Completion {
  /** Where it begins in the text. */
  readonly from: number;
  readonly options: readonly Option[];
}

/** What completes the word at the cursor. */
export function completionAt(model: Model, text: string, cursor: number): Completion | null {
  const before = text.slice(0, cursor);
  for (const [pattern, find] of [
    [MENTION, people],
    [TOPIC, topics],
    [CHANNEL, channels],
    [EMOJI, emoji],
  ] as const) {
    const found = pattern.exec(before);
    if (!found) continue;
    const options = find(model, found[2]!.toLowerCase(), (found[3] ?? '').toLowerCase());
    if (options.length > 0) return { from: cursor - found[1]!.length, options };
  }
  return null;
}

function people({ users, groups }: Model, wanted: string): Option[] {
  const found: Option[] = groups
    .startingWith(wanted)
    .slice(0, MOST_GROUPS)
    .map((name) => ({ name, sign: { icon: 'people' }, text: `@*${name}* ` }));
  const names = new Map<string, number>();
  for (const { user_id, full_name, is_active, delivery_email, is_bot } of users.byName) {
    if (!is_active) continue;
    const name = full_name.toLowerCase();
    names.set(name, (names.get(name) ?? 0) + 1);
    if (!name.startsWith(wanted) && !name.includes(` ${wanted}`)) continue;
    // Of two with one name, the number says who is meant.
    const text = `@**${full_name}${names.get(name)! > 1 ? `|${user_id}` : ''}** `;
    const hint = is_bot ? say('completion.bot') : (delivery_email ?? undefined);
    found.push({ name: full_name, sign: '@', hint, text });
    if (found.length === MOST) break;
  }
  if (found.length < MOST && 'all'.startsWith(wanted)) {
    found.push({ name: 'all', sign: '@', hint: say('completion.all'), text: '@**all** ' });
  }
  return found;
}

function channels(model: Model, wanted: string): Option[] {
  const all = [...model.channels.values()].filter(
    ({ name, is_archived }) => !is_archived && name.toLowerCase().includes(wanted),
  );
  const rank = ({ name }: { name: string }): number =>
    name.toLowerCase().startsWith(wanted) ? 0 : 1;
  return all
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MOST)
    .map(({ name, invite_only, description }) => ({
      name,
      sign: { icon: invite_only ? 'lock' : 'hash' },
      hint: description,
      text: `#**${name}** `,
      open: wanted === '' ? undefined : `#**${name}>`,
    }));
}

/** Topics of a channel that is named as a whole. */
function topics(model: Model, wanted: string, topic: string): Option[] {
  const channel = [...model.channels.values()].find(({ name }) => name.toLowerCase() === wanted);
  if (!channel) return [];
  model.topics.load(channel.stream_id);
  return (
    model.topics
      .of(channel.stream_id)
      .map(({ name }) => ({
        name: model.topicName(name),
        sign: '›',
        text: `#**${channel.name}>${name}** `,
      }))
      // The name of one with stars would end too early.
      .filter(({ name }) => name.toLowerCase().includes(topic) && !name.includes('**'))
      .slice(0, MOST)
  );
}

function emoji(model: Model, wanted: string): Option[] {
  return model.emoji
    .search(wanted, MOST)
    .map(({ name, text }) => ({ name: `:${name}:`, sign: text ?? '☺', text: `:${name}: ` }));
}

interface Props<O extends Option> {
  /** Of the list; those of its options begin with it. */
  readonly id: string;
  readonly options: readonly O[];
  /** Index of the one that is taken; negative for none. */
  readonly chosen: number;
  readonly onChoose: (option: O) => void;
}

export function Completions<O extends Option>({ id, options, chosen, onChoose }: Props<O>) {
  return (
    <ul class="completions" id={id} role="listbox" aria-label={say('completion.label')}>
      {options.map((option, index) => (
        <li
          key={option.text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          // Before the text loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(option);
          }}
        >
          <span class="sign">
            {typeof option.sign === 'string' ? option.sign : <Icon name={option.sign.icon} />}
          </span>
          <span class="name">
            <bdi>{option.name}</bdi>
          </span>
          {option.hint && <small>{option.hint}</small>}
          {index === chosen && <kbd>Tab</kbd>}
        </li>
      ))}
    </ul>
  );
}
