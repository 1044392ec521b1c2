import t from 'tap';
import { outsidePreviews } from '../../../../src/services/outside/outside-previews.js';
import { webServer } from '../../../fixtures/web-server.js';

void t.test('pictures and pages come by one guard, and are counted apart', async (t) => {
  const port = await webServer(t, ({ url }, response) => {
    response.setHeader('Content-Type', url === '/page' ? 'text/html' : 'image/png');
    response.end('<meta property="og:image" content="/a.png">');
  });
  const site = `http://127.0.0.1:${port}`;
  const reasons: string[] = [];
  const setUp = (asksPages: boolean, targets: string[]) =>
    outsidePreviews({
      ...{ asksPages, targets, url: 'https://chat.example.com', secret: Buffer.alloc(32) },
      failed: (reason) => reasons.push(reason),
    });
  const { links, pictures, pages, fetches } = setUp(true, ['127.0.0.1']);
  const { src } = (await pages!.of(`${site}/page`))!;
  t.equal(src, links.path(`${site}/a.png`));
  t.match(await pictures.at(src), { contentType: 'image/png' });
  t.equal(await pages!.of(`${site}/a.png`), null);
  t.same(fetches(), [
    { kind: 'picture', outcome: 'fetched', count: 1 },
    { kind: 'picture', outcome: 'failed', count: 0 },
    { kind: 'picture', outcome: 'refused', count: 0 },
    { kind: 'page', outcome: 'fetched', count: 1 },
    { kind: 'page', outcome: 'failed', count: 1 },
    { kind: 'page', outcome: 'refused', count: 0 },
  ]);
  const strict = setUp(false, []);
  t.equal(strict.pages, null);
  t.equal(await strict.pictures.at(src), undefined);
  t.equal(reasons.at(-1), 'The address is not public');
  t.equal(await strict.pictures.at(links.path('http://1.1.1.1:25/a.png')), undefined);
  t.same(strict.fetches()[2], { kind: 'picture', outcome: 'refused', count: 2 });
});
