import t from 'tap';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

type Operation = (organization: AskedOrganization) => Promise<unknown>;

const made: Record<string, number> = {};
const KEY = Buffer.alloc(33, 1).toString('base64');
const TOKEN_ID = Buffer.alloc(8, 2).toString('base64');

const VIEWS: Readonly<Record<string, Operation>> = {
  'a built-in view is placed': ({ hamlet }) =>
    hamlet.ok('POST', '/navigation_views', { fragment: 'inbox', is_pinned: true }),
  'a view of one’s own': ({ hamlet }) =>
    hamlet.ok('POST', '/navigation_views', {
      fragment: 'narrow/has/link/sender/me',
      is_pinned: false,
      name: 'My links',
    }),
  'it is pinned and renamed': ({ hamlet }) =>
    hamlet.ok('PATCH', '/navigation_views/narrow%2Fhas%2Flink%2Fsender%2Fme', {
      is_pinned: true,
      name: 'Links',
    }),
  'it is removed': ({ hamlet }) =>
    hamlet.ok('DELETE', '/navigation_views/narrow/has/link/sender/me'),
};

const DEVICES: Readonly<Record<string, Operation>> = {
  'a device': async ({ hamlet }) => {
    made.device = Number((await hamlet.ok('POST', '/register_client_device')).device_id);
  },
  'its push registration': ({ hamlet }) =>
    hamlet.ok('POST', '/mobile_push/register', {
      device_id: made.device,
      push_key: KEY,
      push_key_id: 7,
      token_kind: 'fcm',
      token_id: TOKEN_ID,
      bouncer_public_key: 'public',
      encrypted_push_registration: 'sealed',
    }),
  'another key': ({ hamlet }) =>
    hamlet.ok('POST', '/mobile_push/register', {
      device_id: made.device,
      push_key: KEY,
      push_key_id: 8,
    }),
  'the device goes': ({ hamlet }) =>
    hamlet.ok('POST', '/remove_client_device', { device_id: made.device }),
};

const draft = (content: string, timestamp: number) => ({
  type: 'stream',
  to: [made.channel],
  topic: 'plans',
  content,
  timestamp,
});

const TEXTS: Readonly<Record<string, Operation>> = {
  drafts: async ({ hamlet }) => {
    const { streams } = await hamlet.ok('GET', '/streams');
    made.channel = Number((streams as { stream_id: number }[])[0]!.stream_id);
    await hamlet.ok('POST', '/drafts', { drafts: [draft('one', 10), draft('two', 20)] });
  },
  'a draft changes': ({ hamlet }) => hamlet.ok('PATCH', '/drafts/1', { draft: draft('three', 30) }),
  'a draft goes': ({ hamlet }) => hamlet.ok('DELETE', '/drafts/2'),
  'a snippet': ({ hamlet }) =>
    hamlet.ok('POST', '/saved_snippets', { title: 'greeting', content: 'hello' }),
  'it changes': ({ hamlet }) => hamlet.ok('PATCH', '/saved_snippets/1', { title: 'hi' }),
  'it goes': ({ hamlet }) => hamlet.ok('DELETE', '/saved_snippets/1'),
  'alert words': ({ hamlet }) =>
    hamlet.ok('POST', '/users/me/alert_words', { alert_words: ['fire', 'water'] }),
  'one fewer': ({ hamlet }) =>
    hamlet.ok('DELETE', '/users/me/alert_words', { alert_words: ['fire'] }),
};

const LINKIFIERS: Readonly<Record<string, Operation>> = {
  'a linkifier': ({ owner }) =>
    owner.ok('POST', '/realm/filters', {
      pattern: '#(?P<id>[0-9]+)',
      url_template: 'https://tracker.example/{id}',
    }),
  another: ({ owner }) =>
    owner.ok('POST', '/realm/filters', {
      pattern: 'r(?P<id>[0-9]+)',
      url_template: 'https://code.example/{id}',
      example_input: 'r1',
      reverse_template: 'r{id}',
      alternative_url_templates: ['https://old.example/{id}'],
    }),
  'in another order': ({ owner }) =>
    owner.ok('PATCH', '/realm/linkifiers', { ordered_linkifier_ids: [2, 1] }),
  'one changes': ({ owner }) =>
    owner.ok('PATCH', '/realm/filters/1', {
      pattern: '#(?P<id>[0-9]+)',
      url_template: 'https://bugs.example/{id}',
    }),
  'one goes': ({ owner }) => owner.ok('DELETE', '/realm/filters/2'),
};

void t.test(
  'navigation views, devices, linkifiers, drafts, snippets, alert words: snapshot and events agree',
  async (t) => {
    const organization = await askOrganization(t);
    const { hamlet, owner } = organization;
    const viewers = [
      await Viewer.open('hamlet, modern', hamlet, MODERN),
      await Viewer.open('hamlet, legacy', hamlet, LEGACY),
      await Viewer.open('owner', owner, MODERN),
    ];
    await check(t, organization, viewers, { ...VIEWS, ...DEVICES, ...LINKIFIERS, ...TEXTS });
  },
);
