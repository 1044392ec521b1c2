/** The options of the command line and the environment, as `--help` shows them. */
import {
  INVITATION_LINK_VALIDITY_MINUTES,
  KEEP_AUDIT_DAYS,
  KEEP_REMOVED_MESSAGES_DAYS,
  KEEP_UPLOADS_DAYS,
  LATE_DELIVERY_MINUTES,
  UPLOAD_QUOTA_MIB,
} from '../../schemas/limits.js';

/** How much is logged, from most to nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
/** What of other servers messages show, from nothing to most. */
export const LINK_PREVIEWS = ['off', 'pictures', 'pages'] as const;
/** One of {@link LINK_PREVIEWS}. */
export type LinkPreviews = (typeof LINK_PREVIEWS)[number];
/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One option: a flag and the environment variable with the same meaning. */
export interface Option {
  readonly flag: string;
  readonly variable: string;
  readonly value: string;
  readonly fallback: string;
  readonly help: string;
  /** May be given several times; the values are put together. */
  readonly isList?: boolean;
  /** Matches values that hold a secret; such an option may also be given by a file. */
  readonly secret?: RegExp;
}

/** A URL with a password in it. */
const CREDENTIALS = /:\/\/[^/?#]*:[^/?#]+@/;

/** All options, in the order in which `--help` shows them. */
export const OPTIONS: readonly Option[] = [
  {
    flag: 'config',
    variable: 'PARLEY_CONFIG',
    value: 'FILE',
    fallback: '',
    help: 'YAML or JSON with options by these names (port: 8080); flags and environment override it',
  },
  {
    flag: 'host',
    variable: 'PARLEY_HOST',
    value: 'ADDRESS',
    fallback: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 for all, :: for all with IPv6',
  },
  {
    flag: 'port',
    variable: 'PARLEY_PORT',
    value: 'NUMBER',
    fallback: '9991',
    help: 'port to listen on; 0 picks a free one',
  },
  {
    flag: 'workers',
    variable: 'PARLEY_WORKERS',
    value: 'NUMBER',
    fallback: '1',
    help: 'processes that share the port and the work; auto: as many as processors',
  },
  {
    flag: 'node-address',
    variable: 'PARLEY_NODE_ADDRESS',
    value: 'HOST:PORT',
    fallback: '127.0.0.1:0',
    help: 'with several processes: address in a private network at which the others reach this one; port 0 picks a free one; worker 2 takes the next port, and so on',
  },
  {
    flag: 'store',
    variable: 'PARLEY_STORE',
    value: 'URL',
    fallback: 'embedded:./data',
    help: 'where the organization is kept: embedded:FOLDER or redis://HOST',
    secret: CREDENTIALS,
  },
  {
    flag: 'files',
    variable: 'PARLEY_FILES',
    value: 'PLACE',
    fallback: '',
    help: 'where uploaded files are kept: folder:PATH or s3://BUCKET?endpoint=… (default: beside the data)',
  },
  {
    flag: 'files-credentials-file',
    variable: 'PARLEY_FILES_CREDENTIALS_FILE',
    value: 'FILE',
    fallback: '',
    help: 'credentials of the bucket (default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN)',
  },
  {
    flag: 'secret-file',
    variable: 'PARLEY_SECRET_FILE',
    value: 'FILE',
    fallback: '',
    help: 'secret of API keys, the same for all processes (default: api-keys.secret beside the data)',
  },
  {
    flag: 'state',
    variable: 'PARLEY_STATE',
    value: 'FOLDER',
    fallback: '',
    help: 'what this process keeps for itself: indexes, witness, admin socket (default: beside the data; with Redis state-HOST-PORT-DATABASE-ORGANIZATION)',
  },
  {
    flag: 'url',
    variable: 'PARLEY_URL',
    value: 'URL',
    fallback: '',
    help: 'public base URL used in links (default: from host and port)',
  },
  {
    flag: 'trusted-proxy',
    variable: 'PARLEY_TRUSTED_PROXY',
    value: 'ADDRESSES',
    fallback: '',
    help: 'reverse proxies whose forwarding headers are trusted: addresses, networks (10.0.0.0/8), or several',
    isList: true,
  },
  {
    flag: 'allowed-origin',
    variable: 'PARLEY_ALLOWED_ORIGIN',
    value: 'ORIGINS',
    fallback: '',
    help: 'other sites whose pages may call the API with credentials: https://app.example.org, or *',
    isList: true,
  },
  {
    flag: 'owner-email',
    variable: 'PARLEY_OWNER_EMAIL',
    value: 'ADDRESS',
    fallback: 'owner@localhost',
    help: 'first start only: e-mail address of the organization owner',
  },
  {
    flag: 'owner-password',
    variable: 'PARLEY_OWNER_PASSWORD',
    value: 'TEXT',
    fallback: '',
    help: 'first start only: their password (default: generated and shown once)',
    secret: /./,
  },
  {
    flag: 'organization',
    variable: 'PARLEY_ORGANIZATION',
    value: 'NAME',
    fallback: 'Parley',
    help: 'first start only: name of the organization',
  },
  {
    flag: 'new-organization',
    variable: 'PARLEY_NEW_ORGANIZATION',
    value: 'on|off',
    fallback: 'off',
    help: 'create an organization in an empty store even if this server had one before',
  },
  {
    flag: 'rate-limit',
    variable: 'PARLEY_RATE_LIMIT',
    value: 'on|off',
    fallback: 'on',
    help: 'request rate limits; off for load tests',
  },
  {
    flag: 'mail',
    variable: 'PARLEY_MAIL',
    value: 'URL',
    fallback: '',
    help: 'smtp://USER:PASSWORD@HOST:PORT or smtps://… (default: .eml files beside the data)',
    secret: CREDENTIALS,
  },
  {
    flag: 'mail-from',
    variable: 'PARLEY_MAIL_FROM',
    value: 'ADDRESS',
    fallback: '',
    help: 'address that mails come from (default: noreply@ the host of the base URL)',
  },
  {
    flag: 'incoming-mail',
    variable: 'PARLEY_INCOMING_MAIL',
    value: 'URL',
    fallback: '',
    help: 'where to receive mails to channels and replies: smtp://ADDRESS:PORT or lmtp://ADDRESS:PORT (default: nowhere)',
  },
  {
    flag: 'incoming-mail-address',
    variable: 'PARLEY_INCOMING_MAIL_ADDRESS',
    value: 'PATTERN',
    fallback: '',
    help: 'address pattern of these mails; %s stands for the part that differs: %s@chat.example.org',
  },
  {
    flag: 'invitation-link-validity-minutes',
    variable: 'PARLEY_INVITATION_LINK_VALIDITY_MINUTES',
    value: 'MINUTES',
    fallback: String(INVITATION_LINK_VALIDITY_MINUTES),
    help: 'how long an invitation is valid if the inviter sets no time',
  },
  {
    flag: 'lease',
    variable: 'PARLEY_LEASE',
    value: 'SECONDS',
    fallback: '2',
    help: 'another process takes over when the leader has been gone for this long',
  },
  {
    flag: 'store-wait',
    variable: 'PARLEY_STORE_WAIT',
    value: 'SECONDS',
    fallback: '5',
    help: 'how long requests wait for a store that does not answer',
  },
  {
    flag: 'allow-newer-store',
    variable: 'PARLEY_ALLOW_NEWER_STORE',
    value: 'on|off',
    fallback: 'off',
    help: 'serve a store that a newer version served last; data that the newer version added may be lost',
  },
  {
    flag: 'keep-index',
    variable: 'PARLEY_KEEP_INDEX',
    value: 'on|off',
    fallback: 'on',
    help: 'keep the index of messages beside the store, so that a start reads no messages',
  },
  {
    flag: 'late-delivery',
    variable: 'PARLEY_LATE_DELIVERY',
    value: 'MINUTES',
    fallback: String(LATE_DELIVERY_MINUTES),
    help: 'scheduled messages overdue by more than this are not sent',
  },
  {
    flag: 'upload-quota',
    variable: 'PARLEY_UPLOAD_QUOTA',
    value: 'MIB',
    fallback: String(UPLOAD_QUOTA_MIB),
    help: 'maximum total size of uploaded files in MiB; 0: no quota',
  },
  {
    flag: 'can-access-all-users-group-limits-presence',
    variable: 'PARLEY_CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE',
    value: 'on|off',
    fallback: 'on',
    help: 'whether guests receive only the presence of users whom they may see; off: of everybody, by user ID',
  },
  {
    flag: 'keep-uploads',
    variable: 'PARLEY_KEEP_UPLOADS',
    value: 'DAYS',
    fallback: String(KEEP_UPLOADS_DAYS),
    help: 'days after which uploaded files that no message links to are removed; 0 keeps them',
  },
  {
    flag: 'keep-removed',
    variable: 'PARLEY_KEEP_REMOVED',
    value: 'DAYS',
    fallback: String(KEEP_REMOVED_MESSAGES_DAYS),
    help: 'days for which messages removed by retention can be restored; 0 removes them for good',
  },
  {
    flag: 'keep-audit',
    variable: 'PARLEY_KEEP_AUDIT',
    value: 'DAYS',
    fallback: String(KEEP_AUDIT_DAYS),
    help: 'days for which the audit log keeps who changed which setting; 0: as long as there is room',
  },
  {
    flag: 'topic-deletion-limit',
    variable: 'PARLEY_TOPIC_DELETION_LIMIT',
    value: 'SECONDS',
    fallback: '50',
    help: 'how long one request to delete a topic may take; clients repeat it',
  },
  {
    flag: 'hook-target',
    variable: 'PARLEY_HOOK_TARGET',
    value: 'ADDRESSES',
    fallback: '',
    help: 'private addresses and networks that outgoing webhooks may reach, such as 10.1.2.0/24 (default: none)',
  },
  {
    flag: 'link-previews',
    variable: 'PARLEY_LINK_PREVIEWS',
    value: 'off|pictures|pages',
    fallback: 'off',
    help: 'show previews of linked pictures on other servers, fetched by this server; pages: previews of linked web pages, too',
  },
  {
    flag: 'link-preview-target',
    variable: 'PARLEY_LINK_PREVIEW_TARGET',
    value: 'ADDRESSES',
    fallback: '',
    help: 'private addresses and networks that previews may be fetched from, such as 10.1.2.0/24 (default: none)',
  },
  {
    flag: 'jwt',
    variable: 'PARLEY_JWT',
    value: 'FILE',
    fallback: '',
    help: 'settings of login by JSON Web Token (default: off)',
  },
  {
    flag: 'push',
    variable: 'PARLEY_PUSH',
    value: 'FILE',
    fallback: '',
    help: 'services for mobile push notifications (default: none are sent)',
  },
  {
    flag: 'ldap',
    variable: 'PARLEY_LDAP',
    value: 'FILE',
    fallback: '',
    help: 'settings of login through an LDAP directory (default: off)',
  },
  {
    flag: 'oidc',
    variable: 'PARLEY_OIDC',
    value: 'FILE',
    fallback: '',
    help: 'settings of single sign-on by OpenID Connect (default: off)',
  },
  {
    flag: 'calls',
    variable: 'PARLEY_CALLS',
    value: 'FILE',
    fallback: '',
    help: 'services for video calls: Zoom, BigBlueButton, a Jitsi server (default: none)',
  },
  {
    ...{ flag: 'web-app', variable: 'PARLEY_WEB_APP', value: 'FOLDER', fallback: '' },
    help: 'your unpacked release of the public web app, served at / (default: none)',
  },
  {
    flag: 'log',
    variable: 'PARLEY_LOG',
    value: 'LEVEL',
    fallback: 'info',
    help: `how much to log: ${LOG_LEVELS.join(', ')}`,
  },
  {
    flag: 'slow-request',
    variable: 'PARLEY_SLOW_REQUEST',
    value: 'SECONDS',
    fallback: '1',
    help: 'a request that takes longer is logged as slow, with its stages; waiting for events is not',
  },
  {
    flag: 'metrics',
    variable: 'PARLEY_METRICS',
    value: 'ADDRESS:PORT',
    fallback: '',
    help: 'where to serve Prometheus metrics, e.g. 127.0.0.1:9464 (default: nowhere)',
  },
];
