/* Mails that wait for a mail server (endpoints-organization.md#console). */
import Type, { type Static } from 'typebox';
import { endpoint, Id, nullable, optional, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { FEATURE_LEVEL } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { ShortText } from '../text.js';

/** Mails that one reply lists. */
export const CONSOLE_MAILS = 200;

const WaitingMail = Type.Object(
  {
    id: Type.Integer(),
    to_user_id: nullable(Id),
    to_email: nullable(Type.String()),
    about: Type.String(),
    created_at: Type.Integer(),
    attempts: Type.Integer(),
    next_attempt_at: Type.Integer(),
    last_failure: nullable(Type.String()),
  },
  { ...exact, title: 'WaitingMail' },
);
export type WaitingMailRow = Static<typeof WaitingMail>;

const path = '/realm/console/mails';
const SHARED = {
  access: 'human-administrator',
  errors: [],
  events: [],
  level: FEATURE_LEVEL,
} as const;

export const getWaitingMails = endpoint({
  ...SHARED,
  operation: 'get-waiting-mails',
  method: 'GET',
  path,
  summary: 'List the mails that no mail server has accepted yet',
  params: {},
  response: Type.Object({
    mails: Type.Array(WaitingMail, { maxItems: CONSOLE_MAILS }),
    mails_waiting: Type.Integer(),
    mail_server: nullable(Type.String()),
  }),
});

export const retryMails = endpoint({
  ...SHARED,
  operation: 'retry-mails',
  method: 'POST',
  path: `${path}/retry`,
  summary: 'Try a mail that waits again now, or all of them',
  params: { mail_id: optional(Id, { example: 12 }) },
  response: Type.Object({ retried: Type.Integer() }),
});

export const sendTestMail = endpoint({
  ...SHARED,
  operation: 'send-test-mail',
  method: 'POST',
  path: `${path}/test`,
  summary: 'Send a test mail now',
  params: { email: required(ShortText) },
  response: Type.Object({ taken_by: nullable(Type.String()) }),
  example: { email: 'hamlet@example.com' },
  note: 'Where the mail server has not answered within five seconds, the mail waits with the others, and the list tells why.',
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  mail_id: 'A mail that waits, by its `id` in the list; absent: all of them.',
  'send-test-mail.email': 'Where it goes.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  mails: 'The oldest 200 mails that wait, the oldest first.',
  'get-waiting-mails.mails_waiting': ['How many wait.', 0],
  mail_server: [
    'What takes the mails, without credentials; null where no mail server is configured, and they are written to a folder.',
    'smtp.example.com:587',
  ],
  'WaitingMail.id': ['Number of the mail.', 12],
  to_user_id: ['Whose account has the address; null where none has.', 4],
  to_email: ['The address, where no account has it; else null.', null],
  about: ['Kind of the mail.', 'invitation'],
  'WaitingMail.created_at': ['When it was queued, milliseconds since 1970.', 1_750_000_000_000],
  attempts: ['How often it was tried.', 2],
  next_attempt_at: ['When it is tried again, milliseconds since 1970.', 1_750_000_060_000],
  last_failure: [
    'Why the last attempt failed, without addresses of people; null where there was none.',
    'connect ECONNREFUSED 192.0.2.1:25',
  ],
  retried: ['How many are tried now.', 1],
  taken_by: [
    'Who took the mail; null where the mail server has not answered yet, and the mail waits with the others.',
    'smtp.example.com:587',
  ],
});
