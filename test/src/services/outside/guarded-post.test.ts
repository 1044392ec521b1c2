import t from 'tap';
import { UnfitAnswerError } from '../../../../src/services/outside/bounded-body.js';
import { guardedPost } from '../../../../src/services/outside/guarded-post.js';
import { ReachableAddresses } from '../../../../src/services/outside/reachable-addresses.js';
import { webServer } from '../../../fixtures/web-server.js';

const text = 'text/plain';
/** The name stands for this machine, which only the second one may go to. */
const names = async () => [{ address: '127.0.0.1', family: 4 }];
const strict = guardedPost(new ReachableAddresses([], names));
const allowed = guardedPost(new ReachableAddresses(['127.0.0.1'], names), 1000);

void t.test('a post and its answer, at the address that was checked', async (t) => {
  const port = await webServer(t, (request, response) => {
    request.setEncoding('utf8').on('data', (body: string) => {
      response
        .writeHead(201)
        .end(`${request.method} ${request.headers.host} ${request.url} ${body}`);
    });
  });
  t.same(await allowed(`http://bot.example:${port}/hook?a=b`, text, 'hé'), {
    status: 201,
    text: `POST bot.example:${port} /hook?a=b hé`,
  });
  await t.rejects(strict(`http://bot.example:${port}/`, text, ''), {
    message: 'The address is not public',
  });
  await t.rejects(strict(`http://127.0.0.1:${port}/`, text, ''), {
    message: 'The address is not public',
  });
  const mailPort = { message: 'The port is not one of the web' };
  await t.rejects(allowed('http://bot.example:25/', text, 'MAIL FROM:<a@example.org>'), mailPort);
  await t.rejects(allowed('https://bot.example:465/', text, ''), mailPort);
});

void t.test('redirects are checked like the first address, and keep the method', async (t) => {
  const targets: string[] = [];
  const port = await webServer(t, ({ method, url }, response) => {
    targets.push(`${method} ${url}`);
    const location =
      url === '/private'
        ? 'http://10.0.0.1/'
        : url === '/once'
          ? '/end'
          : url === '/loop'
            ? '/loop'
            : null;
    if (location === null) response.end('done');
    else response.writeHead(url === '/get' ? 302 : 307, { Location: location }).end();
  });
  const base = `http://bot.example:${port}`;
  t.match(await allowed(`${base}/once`, text, 'x'), { status: 200, text: 'done' });
  t.same(targets, ['POST /once', 'POST /end']);
  const literal = guardedPost(new ReachableAddresses(['127.0.0.1']));
  await t.rejects(literal(`http://127.0.0.1:${port}/private`, text, ''), {
    message: 'The address is not public',
  });
  await t.rejects(
    allowed(`${base}/loop`, text, ''),
    new UnfitAnswerError('Too many redirects'),
    'they are told from failures that pass',
  );
});

void t.test('an answer is bounded in time and size', async (t) => {
  const port = await webServer(t, ({ url }, response) => {
    if (url === '/long') response.end('x'.repeat(200_000));
    else if (url === '/half') response.write('x');
  });
  await t.rejects(
    allowed(`http://bot.example:${port}/long`, text, ''),
    new UnfitAnswerError('The answer is too long'),
  );
  await t.rejects(allowed(`http://bot.example:${port}/silent`, text, ''));
  await t.rejects(allowed(`http://bot.example:${port}/half`, text, ''));
  await t.rejects(allowed('file:///etc/passwd', text, ''), {
    message: 'Only http and https addresses are called',
  });
});
