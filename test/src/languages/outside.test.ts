import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { humanTexts } from './human-text.js';
import { testFolder } from '../../fixtures/test-folder.js';

/* No text that people read stands outside the catalogs, and no message in them is there for nothing. */

/** Where people are written to. */
const PLACES = ['src/organization', 'src/resources/pages', 'src/web'];

/** Texts that stay where they are, by file or folder, and why. */
const STAY: Readonly<Record<string, string>> = {
  'src/organization/access/group-setting.ts': 'refusals of the API',
  'src/organization/accounts/account-checks.ts': 'refusals of the API',
  'src/organization/accounts/login-methods.ts': 'a proper name',
  'src/organization/accounts/sessions.ts': 'names of browsers, a value of the API',
  'src/organization/groups/full-members.ts': 'the name of a timer',
  'src/organization/hooks/outgoing-hook-delivery.ts': 'the log, and what operators read',
  'src/organization/incoming-mail/incoming-mail.ts': 'replies to mail servers',
  'src/organization/incoming-mail/mail-route.ts': 'replies to mail servers',
  'src/organization/invitations/': 'refusals of the API',
  'src/organization/mail/delivery.ts': 'the log',
  'src/organization/mail/layout.ts': 'style',
  'src/organization/messages/change-flags.ts': 'refusals of the API',
  'src/organization/messages/editing/edit-history.ts': 'refusals of the API',
  'src/organization/messages/previews/page-previews.ts': 'a fault',
  'src/organization/messages/reading/narrow.ts': 'refusals of the API',
  'src/organization/messages/retention/': 'the command line',
  'src/organization/messages/search/search-feed.ts': 'the log',
  'src/organization/messages/sending/outgoing-message.ts': 'names of clients, a value of the API',
  'src/organization/messages/widgets/': 'refusals of the API',
  'src/organization/notifications/push-delivery.ts': 'the log',
  'src/organization/notifications/vanished-users.ts': 'the log',
  'src/organization/realm/bootstrap.ts': 'made before anybody has chosen a language',
  'src/organization/realm/realm-checks.ts': 'a proper name',
  'src/organization/realm/realm-domains.ts': 'refusals of the API',
  'src/organization/scheduling/delivery-worker.ts': 'a refusal of the API',
  'src/organization/state/': 'what operators read',
  'src/organization/uploads/': 'a fault',
  'src/organization/users/erasure.ts': 'the name of an account, a value of the API',
  'src/organization/users/profile-fields.ts': 'names of services, a value of the API',
  'src/organization/views/unknown-user.ts': 'the name of an account, a value of the API',
  'src/resources/pages/desktop-login.ts': 'a script',
  'src/resources/pages/layout.ts': 'a style sheet, and the wording of a refusal',
  'src/web/console/operating/logins.tsx': 'a proper name',
};

const FILES = PLACES.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => /\.tsx?$/.test(file) && statSync(file).isFile()),
);
const FOUND = FILES.map((file) => ({ file, texts: humanTexts(file) }));
const under = (places: readonly string[]) => (file: string) =>
  places.some((place) => file.startsWith(place));

void t.test('no text for people stands outside the catalogs', async (t) => {
  const isLeftOut = under(Object.keys(STAY));
  t.strictSame(
    FOUND.filter(({ file }) => !isLeftOut(file)).flatMap(({ texts }) => texts),
    [],
  );
});

void t.test('what is left out has such texts', async (t) => {
  const texts = FOUND.filter((one) => one.texts.length > 0).map(({ file }) => file);
  for (const place of Object.keys(STAY)) t.ok(texts.some(under([place])), place);
});

void t.test('the search finds what people read, and nothing else', async (t) => {
  const file = join(testFolder(t, { 'page.tsx': PAGE }), 'page.tsx');
  t.strictSame(
    humanTexts(file).map((found) => found.slice(file.length + 1)),
    ['4 Drafts', '5 Name of it', '7 Not now', '9 Try again …', '12 Two words', '13 Hello'],
  );
});

const PAGE = `import { refusal } from '../errors/index.js';
export const Page = ({ n }) => (
  <div class="a wide one">
    <h2>Drafts</h2>
    <input aria-label={\`Name of it\`} type="text" />
    {say('home.all-read')} · {n}
    <p title={n ? 'Not now' : say('x')}>–</p>
    <button onClick={() => { if (key === 'Enter') throw new Error('a fault of ours'); }}>
      {refusal('Of the API') ?? 'Try again …'}
    </button>
  </div>);
const text = 'Two words';
const made = html\`<b class="some style">Hello</b>\`;
`;

void t.test('each message is said somewhere', async (t) => {
  const sources = ['src/organization', 'src/resources', 'src/web'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  const text = sources.join('\n');
  // Of ids that are put together, the beginning of the template.
  const heads = [...text.matchAll(/`([a-z][\w-]*\.[\w.-]*)\$\{/g)].map(([, head]) => head!);
  // Refusals are found by their wording (refusals.test.ts).
  const areas = readdirSync('src/languages/en').filter((name) => name !== 'refusals.json');
  const unsaid = areas.flatMap((name) => {
    const catalog = JSON.parse(readFileSync(join('src/languages/en', name), 'utf8')) as object;
    return Object.keys(catalog).filter(
      (id) => !text.includes(`'${id}'`) && !heads.some((head) => id.startsWith(head)),
    );
  });
  t.strictSame(unsaid, []);
});
