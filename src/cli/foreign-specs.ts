/** Commands that import what another software exported. */
import { configFrom } from '../config/config.js';
import { ConfigError } from '../config/values.js';
import {
  type ForeignChoices,
  type ForeignFormat,
  OTHER_WAY,
  REFUSED,
} from '../config/foreign-kinds.js';
import { INTO_FLAGS, INTO_OPTIONS, intoFrom, PLACES, type Spec } from './spec.js';

/** What an operator decides about an import: a flag, its values with the default first, and what they mean. */
interface Choice {
  readonly name: keyof ForeignChoices;
  readonly values: readonly string[];
  readonly takes: string;
  readonly meaning: string;
}

const THREADS: Choice = {
  name: 'threads',
  values: ['topics', 'quotes'],
  takes: '<FORM>',
  meaning: 'topics (default): a thread is a topic; quotes: answers quote what they answer',
};

const CHANNELS: Choice = {
  name: 'channels',
  values: ['private', 'public'],
  takes: '<ACCESS>',
  meaning: 'private (default): for those who wrote there; public: for everybody',
};

/** @param choices beside the name of the organization, which the archive of a Zulip server has */
function foreign(from: ForeignFormat, summary: string, choices: readonly Choice[] = []): Spec {
  return {
    name: `import-${from}`,
    summary,
    takes: 'ARCHIVE',
    options: [...PLACES, ...INTO_OPTIONS, ...(from === 'zulip' ? [] : ['organization'])],
    flags: {
      ...Object.fromEntries(choices.map((one) => [`--${one.name} ${one.takes}`, one.meaning])),
      ...INTO_FLAGS,
    },
    command: ({ read, args, own, environment, warn }) => {
      const [archive] = args;
      if (archive === undefined || args.length > 1) {
        throw new ConfigError(
          `parley import-${from} takes an archive, or the folder it was unpacked to`,
        );
      }
      const chosen = choices.map(({ name, values }) => {
        const value = own[name] ?? values[0];
        if (values.some((one) => one === value)) return [name, value];
        throw new ConfigError(`--${name} is ${values.join(' or ')}`);
      });
      const config = configFrom(read, environment, warn);
      const given = Object.fromEntries(chosen) as ForeignChoices;
      const into = intoFrom(own);
      return { kind: 'foreign-import', from, config, archive, choices: given, into };
    },
  };
}

/** Named so that whoever looks for it learns what there is in its place. @param why a sentence */
function refused(name: string, why: string): Spec {
  return {
    name: `import-${name}`,
    summary: 'not supported: says what to do',
    takes: 'ARCHIVE',
    options: [],
    command: () => {
      throw new ConfigError(`${why} ${OTHER_WAY}`);
    },
  };
}

export const FOREIGN_SPECS: readonly Spec[] = [
  foreign('zulip', 'import a Zulip export (realm-*.tar.gz) into an empty store'),
  foreign('slack', 'import a Slack export (zip) into an empty store', [THREADS]),
  foreign('mattermost', 'import a bulk export of Mattermost (zip) into an empty store', [THREADS]),
  foreign('discord', 'import files of DiscordChatExporter (JSON) into an empty store', [CHANNELS]),
  foreign('rocketchat', 'import a dump of Rocket.Chat (mongodump) into an empty store'),
  foreign('teams', 'import an export of Microsoft Teams (its JSON) into an empty store'),
  ...Object.entries(REFUSED).map(([name, why]) => refused(name, why)),
];
