import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { FILE } from '../../../schemas/example-values.js';
import { PICTURE } from '../harness/permissions/picture.js';
import { BrowserSession } from '../harness/browser-session.js';
import { ApiClient, type Body } from '../harness/client.js';
import { NOT_OFFERED, publishedStory, type Published } from '../harness/published-story.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';
import { thumbnailMade } from '../harness/thumbnail.js';
import { upload } from '../harness/uploading.js';

/* Each published sample is run as it is, with an address and a key in the places of EMAIL and API_KEY. */

const run = promisify(execFile);

/** What a sample showed: the reply, or status and content type of a file. */
interface Shown {
  readonly result?: string;
  readonly msg?: string;
}

/** Samples in one language, in the order of the story, on a server of their own. */
async function tellStory(
  t: Test,
  lang: string,
  show: (source: string) => Promise<Shown>,
): Promise<void> {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const wrong: string[] = [];
  let count = 0;
  // A folder of backups is what this server has not; the console's test fetches one.
  const story = publishedStory(server.url).filter(({ id }) => id !== 'get-backup-file');
  for (const one of story) {
    const sample = one.operation['x-codeSamples'].find((some) => some.lang === lang)!.source;
    const source = (await prepared(one, owner, sample)).replaceAll(
      'EMAIL:API_KEY',
      `${owner.email}:${owner.key}`,
    );
    const shown = await show(source).catch((error: Error) => ({
      result: 'failed',
      msg: error.message,
    }));
    const refusal = NOT_OFFERED[one.id];
    const isRight = refusal
      ? shown.result === 'error' && refusal.test(String(shown.msg))
      : shown.result === 'success';
    if (!isRight) wrong.push(`${one.id}: ${JSON.stringify(shown).slice(0, 300)}\n${source}`);
    count++;
  }
  t.same(wrong, []);
  t.ok(count > 170, `${count} samples`);
}

/** What must be there before a sample can succeed; it may have an identity that only the server knows. */
async function prepared({ id }: Published, owner: ApiClient, sample: string): Promise<string> {
  const stated = PREPARATIONS[id];
  return stated ? sample.replace(...(await stated(owner))) : sample;
}

const EXAMPLE_FILE = `${FILE.realm_id}/${FILE.file_path}`;

const uploaded = async (owner: ApiClient): Promise<[string, string]> => {
  const { url } = await upload(owner, '/user_uploads', 'ghost.txt', Buffer.from('Mark me'));
  return [EXAMPLE_FILE, String(url).replace('/user_uploads/', '')];
};

/** Per operation the text of its sample that stands for something of the server, and what stands there then. */
const PREPARATIONS: Readonly<
  Record<string, (owner: ApiClient) => Promise<[RegExp | string, string]>>
> = {
  'fetch-api-key': async () => [
    /owner@example\.com([^]*)abcd1234/,
    `${OWNER_EMAIL}$1${OWNER_PASSWORD}`,
  ],
  'acknowledge-events': async (owner) => {
    const { queue_id: id, last_event_id: last } = await owner.ok('POST', '/register');
    return [/fb67bf8a-[\w-]+([^]*)1375/, `${String(id)}$1${String(last)}`];
  },
  'delete-queue': async (owner) => {
    const { queue_id: id } = await owner.ok('POST', '/register');
    return [/fb67bf8a-[\w-]+/, String(id)];
  },
  'drop-queue': async (owner) => {
    const { queue_id: id } = await owner.ok('POST', '/register');
    return [/fb67bf8a-[\w-]+/, String(id)];
  },
  'end-session': async (owner) => {
    await new BrowserSession(owner.url).logIn(OWNER_EMAIL, OWNER_PASSWORD);
    const { sessions } = await owner.ok('GET', '/users/me/sessions');
    return [/sessions\/1\b/, `sessions/${(sessions as { id: number }[])[0]!.id}`];
  },
  'delete-any-file': async (owner) => {
    await uploaded(owner);
    const { attachments } = await owner.ok('GET', '/attachments');
    const ids = (attachments as { id: number }[]).map(({ id }) => id);
    return [/files\/1\b/, `files/${Math.max(...ids)}`];
  },
  'add-submessage': async (owner) => {
    const poll = {
      type: 'channel',
      to: 'general',
      topic: 'castle',
      content: '/poll To be?\nyes\nno',
    };
    const { id } = await owner.ok('POST', '/messages', poll);
    return [/(message_id\W+)1\b/, `$1${String(id)}`];
  },
  'get-file-temporary-url': uploaded,
  'get-uploaded-file': uploaded,
  'download-uploaded-file': uploaded,
  'get-thumbnail': async (owner) => {
    const { url } = await upload(owner, '/user_uploads', 'skull.png', PICTURE);
    const path = String(url).replace('/user_uploads/', '');
    await thumbnailMade(owner, path);
    return [EXAMPLE_FILE, path];
  },
  'get-thumbnail-status': uploaded,
  'get-temporary-file': async (owner) => {
    const [, path] = await uploaded(owner);
    const { url } = await owner.ok('GET', `/user_uploads/${path}`);
    return [/\/user_uploads\/temporary\/[\w.-]+\/ghost\.txt/, String(url)];
  },
  'get-export-file': async (owner) => {
    // The sample before this one began it.
    for (;;) {
      const { exports } = await owner.ok('GET', '/export/realm');
      const [{ export_url: url }] = exports as [{ export_url: string | null }];
      if (url !== null) return [/\/exports\/[\w-]+\/[\w.-]+/, new URL(url).pathname];
      await pause(10);
    }
  },
};

// Each of 350 samples is a process, or a request at least.
t.setTimeout(240_000);

void t.test('every sample for curl gets the success that is published', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-samples-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ghost.txt'), 'Mark me');
  writeFileSync(join(folder, 'skull.png'), PICTURE);
  await tellStory(t, 'Shell', async (source) => {
    const { stdout } = await run('bash', ['--norc', '-c', source], { cwd: folder });
    if (!source.includes('-o saved-file')) return JSON.parse(stdout) as Shown;
    return statSync(join(folder, 'saved-file')).size > 0 ? { result: 'success' } : {};
  });
});

/** The function that a text is the body of. */
const AsyncFunction = (async () => {}).constructor as new (
  name: string,
  body: string,
) => (console: { log: (...values: unknown[]) => void }) => Promise<void>;

void t.test('every sample for JavaScript gets the success that is published', async (t) => {
  await tellStory(t, 'JavaScript', async (source) => {
    let shown: unknown[] = [];
    await new AsyncFunction('console', source)({ log: (...values) => (shown = values) });
    const [first] = shown;
    if (typeof first === 'number') return { result: first === 200 ? 'success' : `status ${first}` };
    return first as Body;
  });
});

/*
 * The package `zulip` is not among what tests need, so Python checks what is written, and a stand-in for the package
 * what is called: names of arguments, and values of the types it can send.
 */
const STAND_IN = `
import json, sys
class Client:
    def __init__(self, email, api_key, site): pass
    def call_endpoint(self, url=None, method="POST", request=None, longpolling=False, files=None, timeout=None):
        json.dumps(request)
        return [method, url, sorted(request or {}), [one.name for one in files or []]]
class Reply:
    status_code, headers = 200, {"Content-Type": "text/plain"}
def get(url, auth): return Reply()
def post(url, auth, json): return Reply()
for name in ("zulip", "requests"): sys.modules[name] = sys.modules[__name__]
for name, source in json.load(sys.stdin):
    exec(compile(source, name, "exec"), {})
print("all")
`;

const pythonMissing = await run('python3', ['--version']).then(
  () => false as const,
  () => 'needs python3',
);

void t.test(
  'every sample for Python can be run with the package’s interface',
  { skip: pythonMissing },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-samples-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    for (const name of ['ghost.txt', 'skull.png']) writeFileSync(join(folder, name), '');
    const samples = publishedStory('https://chat.example.com').map(({ id, operation }) => [
      id,
      operation['x-codeSamples'].find(({ lang }) => lang === 'Python')!.source,
    ]);
    const running = run('python3', ['-c', STAND_IN], { cwd: folder });
    running.child.stdin!.end(JSON.stringify(samples));
    const { stdout } = await running;
    t.match(stdout, /^\['POST', 'messages', \['content', 'to', 'topic', 'type'\], \[\]\]$/m);
    t.match(stdout, /^\['POST', 'user_uploads', \[\], \['ghost.txt'\]\]$/m);
    t.match(stdout, /all\n$/);
  },
);
