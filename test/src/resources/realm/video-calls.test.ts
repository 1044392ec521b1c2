import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { joinCallPages } from '../../../../src/resources/pages/join-call.js';
import type { PageParts } from '../../../../src/resources/pages/parts.js';
import { realmSection } from '../../../../src/resources/queues/register/realm-section.js';
import { realmHandlers } from '../../../../src/resources/realm/realm.js';
import { videoCallHandlers } from '../../../../src/resources/realm/video-calls.js';
import { readCallSettings } from '../../../../src/services/calls/call-settings.js';
import {
  NO_CALLS,
  videoCalls,
  type VideoCalls,
} from '../../../../src/services/calls/video-calls.js';
import { ZoomCalls } from '../../../../src/services/calls/zoom-calls.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { LivingOrganization, type Body } from '../../../fixtures/living-organization.js';
import { dataOf, htmlOf } from '../../../fixtures/invite-world.js';
import { service, type Answer } from '../../../fixtures/push-services.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const SECRET = Buffer.alloc(32, 7);
const ZOOM = { account_id: 'account', client_id: 'client', client_secret: 'hush' };
const URL_OF_SITE = 'https://chat.example.com';

class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly faults: unknown[] = [];
  override readonly handlers;
  readonly pages;

  constructor(calls: VideoCalls) {
    super({
      videoCalls: {
        jitsiUrl: calls.jitsiUrl,
        providers: [
          ...(calls.bigBlueButton ? ['BigBlueButton' as const] : []),
          ...(calls.zoom ? ['Zoom' as const] : []),
        ],
      },
    });
    const [markdown, ignore] = [createMarkdown(), () => undefined];
    this.handlers = [
      ...videoCallHandlers({ videoCalls: calls, onCallError: (one) => this.faults.push(one) }),
      ...realmHandlers({ markdown, waitingPeriodChanged: ignore, endQueues: ignore }),
    ];
    const { bigBlueButton } = calls;
    const runtime = { org: this.org } as PageParts['runtime'];
    this.pages = joinCallPages({ runtime, bigBlueButton } as PageParts);
  }

  create(params: Body) {
    return this.do('create-video-call', params);
  }

  link(params: Body) {
    return this.do('get-video-call', params);
  }

  visit(method: 'GET' | 'POST', fields: Record<string, string>) {
    const page = this.pages.find((one) => one.method === method)!;
    const request = { values: {}, fields: new Map(Object.entries(fields)) };
    return page.call({ ...request, remoteAddress: '192.0.2.1', language: 'en' });
  }
}

void t.test('what is not configured is refused by its name', async (t) => {
  const world = new World(NO_CALLS);
  const refusals: [string, Promise<unknown>][] = [
    ['Zoom is not configured.', world.create({ provider: 'zoom' })],
    ['Webex is not configured.', world.create({ provider: 'webex' })],
    ['Nextcloud Talk is not configured.', world.create({ provider: 'nextcloud_talk' })],
    ['Constructor Groups is not configured.', world.create({ provider: 'constructorgroups' })],
    ['BigBlueButton is not configured.', world.link({ provider: 'bigbluebutton' })],
    ['Video calls are not configured.', world.link({ provider: 'toString' })],
    [
      'Invalid video_chat_provider 4',
      world.do('update-realm', { video_chat_provider: 4 }, world.owner),
    ],
    [
      'Invalid video_chat_provider 5',
      world.do('update-realm', { video_chat_provider: 5 }, world.owner),
    ],
  ];
  for (const [message, refused] of refusals) {
    await t.rejects(refused, { status: 400, code: 'BAD_REQUEST', message });
  }
  await t.rejects(world.visit('GET', { bigbluebutton: 'x' }), {
    message: 'BigBlueButton is not configured.',
  });
});

void t.test('what is configured can be chosen, and is there for clients', async (t) => {
  const bigbluebutton = { url: 'https://bbb.example.org/bigbluebutton/', secret: 'hush' };
  const zoom = { ...ZOOM, oauth_url: 'https://zoom.us', api_url: 'https://api.zoom.us' };
  const jitsi = { url: 'https://meet.example.org' };
  const world = new World(videoCalls({ jitsi, zoom, bigbluebutton }, SECRET));
  await world.do('update-realm', { video_chat_provider: 4 }, world.owner);
  await world.do('update-realm', { video_chat_provider: 5 }, world.owner);
  t.match(realmSection(world.org), {
    realm_video_chat_provider: 5,
    realm_available_video_chat_providers: {
      disabled: { name: 'None', id: 0 },
      jitsi_meet: { name: 'Jitsi Meet', id: 1 },
      big_blue_button: { name: 'BigBlueButton', id: 4 },
      zoom_server_to_server: { name: 'Zoom', id: 5 },
    },
    server_jitsi_server_url: 'https://meet.example.org',
    jitsi_server_url: 'https://meet.example.org',
    realm_jitsi_server_url: null,
  });
  const own = 'https://jitsi.example.net';
  await world.do('update-realm', { jitsi_server_url: own }, world.owner);
  t.match(realmSection(world.org), {
    server_jitsi_server_url: 'https://meet.example.org',
    jitsi_server_url: own,
    realm_jitsi_server_url: own,
  });
});

void t.test('a meeting at Zoom, of the caller', async (t) => {
  let next: Answer = { status: 201, body: { join_url: 'https://zoom.us/j/1?pwd=x' } };
  const zoom = await service(t, ({ path }) =>
    path === '/oauth/token'
      ? { status: 200, body: { access_token: 'token', expires_in: 3600 } }
      : next,
  );
  let now = 0;
  const settings = { ...ZOOM, oauth_url: zoom.url, api_url: zoom.url };
  const world = new World({ ...NO_CALLS, zoom: new ZoomCalls(settings, () => now) });
  const made = { url: 'https://zoom.us/j/1?pwd=x' };
  t.strictSame(await world.create({ provider: 'zoom' }), made);
  t.strictSame(await world.create({ provider: 'zoom', is_video_call: false }), made);
  const [login, first, second] = zoom.asked;
  t.equal(login!.headers.authorization, `Basic ${btoa('client:hush')}`);
  t.equal(login!.body, 'grant_type=account_credentials&account_id=account');
  t.equal(first!.path, '/v2/users/hamlet%40example.com/meetings');
  t.equal(first!.headers.authorization, 'Bearer token');
  t.strictSame(JSON.parse(first!.body), {
    settings: { host_video: true, participant_video: true },
    default_password: true,
  });
  t.match(JSON.parse(second!.body), { settings: { host_video: false, participant_video: false } });
  t.equal(zoom.asked.length, 3, 'one token for both');

  next = { status: 404, body: { code: 1001, message: 'User does not exist' } };
  await t.rejects(world.create({ provider: 'zoom' }), { message: 'Unknown Zoom user email' });
  next = { status: 500, body: '<html>' };
  await t.rejects(world.create({ provider: 'zoom' }), { message: 'Failed to create Zoom call' });
  next = { status: 401, body: { code: 124 } };
  await t.rejects(world.create({ provider: 'zoom' }), { message: 'Failed to create Zoom call' });
  t.equal(world.faults.length, 3, 'the log has the reasons');
  const tokens = () => zoom.asked.filter(({ path }) => path === '/oauth/token').length;
  next = { status: 201, body: { join_url: made.url } };
  await world.create({ provider: 'zoom' });
  t.equal(tokens(), 2, 'another token in the place of one that was refused');
  now += 57 * 60_000;
  await world.create({ provider: 'zoom' });
  t.equal(tokens(), 3, 'and of one that ends soon');
});

void t.test('a call of BigBlueButton begins when somebody follows its link', async (t) => {
  let answer = '<response><returncode>SUCCESS</returncode><createTime>1531</createTime></response>';
  const server = await service(t, () => ({ status: 200, body: answer }));
  const settings = { url: `${server.url}/bigbluebutton`, secret: 'hush' };
  const world = new World(videoCalls({ bigbluebutton: settings }, SECRET));
  const linkOf = async (params: Body): Promise<string> => {
    const { url } = await world.link({ provider: 'bigbluebutton', ...params });
    const address = new URL(String(url));
    t.equal(`${address.origin}${address.pathname}`, `${URL_OF_SITE}/calls/bigbluebutton/join`);
    return address.searchParams.get('bigbluebutton')!;
  };
  const link = await linkOf({ meeting_name: 'Castle & walls' });
  t.equal(server.asked.length, 0);
  const form = htmlOf(await world.visit('GET', { bigbluebutton: link }));
  t.match(form, 'Castle &amp; walls');
  t.match(form, 'name="full_name"');
  const join = async (bigbluebutton: string) => {
    const shown = await world.visit('POST', { bigbluebutton, full_name: ' Hamlet ' });
    return new URL(String(dataOf(shown).url));
  };
  const address = await join(link);
  t.equal(server.asked.length, 1);
  const created = new URL(server.asked[0]!.path, server.url);
  const meetingID = created.searchParams.get('meetingID');
  t.match(Object.fromEntries(created.searchParams), {
    name: 'Castle & walls',
    lockSettingsDisableCam: 'false',
  });
  const checksum = (operation: string, { search }: URL) => {
    const query = search.slice(1).replace(/&checksum=.*/, '');
    return createHash('sha256').update(`${operation}${query}hush`).digest('hex');
  };
  t.equal(created.pathname, '/bigbluebutton/api/create');
  t.equal(created.searchParams.get('checksum'), checksum('create', created));
  t.equal(address.pathname, '/bigbluebutton/api/join');
  t.strictSame(Object.fromEntries(address.searchParams), {
    meetingID,
    role: 'MODERATOR',
    fullName: 'Hamlet',
    createTime: '1531',
    checksum: checksum('join', address),
  });

  const voice = await join(await linkOf({ voice_only: true }));
  t.match(Object.fromEntries(voice.searchParams), { role: 'VIEWER' });
  const second = new URL(server.asked[1]!.path, server.url).searchParams;
  t.match(Object.fromEntries(second), { name: 'Example', lockSettingsDisableCam: 'true' });
  t.not(second.get('meetingID'), meetingID);

  await t.rejects(world.visit('GET', { bigbluebutton: `${link}x` }), {
    status: 400,
    message: 'Invalid signature.',
  });
  await t.rejects(world.visit('POST', { bigbluebutton: link, full_name: ' ' }), {
    message: 'Please fill out all fields.',
  });
  answer =
    '<response><returncode>FAILED</returncode><messageKey>checksumError</messageKey></response>';
  await t.rejects(join(link), { message: 'Error connecting to the BigBlueButton server.' });
});

void t.test('files that cannot be used; no value is told', async (t) => {
  const file = join(testFolder(t), 'calls.json');
  const read = (settings: object) => {
    writeFileSync(file, JSON.stringify(settings));
    return readCallSettings(file);
  };
  t.strictSame(await read({ zoom: ZOOM }), {
    zoom: { ...ZOOM, oauth_url: 'https://zoom.us', api_url: 'https://api.zoom.us' },
  });
  await t.rejects(
    read({ zoom: { ...ZOOM, client_secret: 5 } }),
    /zoom\/client_secret must be string$/,
  );
  await t.rejects(read({ bigbluebutton: { url: 'http://bbb.example.org/', secret: 'hush' } }), {
    message: `${file}: bigbluebutton/url is not https`,
  });
  await t.rejects(read({ webex: {} }), /webex|additional/);
});
