import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { guardedGet, type Wanted } from '../../../../src/services/outside/guarded-get.js';
import { ReachableAddresses } from '../../../../src/services/outside/reachable-addresses.js';
import { webServer } from '../../../fixtures/web-server.js';

const TEXT: Wanted = {
  accept: 'text/plain',
  takes: (mediaType) => mediaType === 'text/plain',
  maxBytes: 1000,
  isPartEnough: false,
};
const ownOrigin = 'https://chat.example.com';
/** Every name stands for this machine, which only the second one may go to. */
const names = async () => [{ address: '127.0.0.1', family: 4 }];
const strict = guardedGet({ addresses: new ReachableAddresses([], names), ownOrigin });
const addresses = new ReachableAddresses(['127.0.0.1'], names);
const allowed = guardedGet({ addresses, ownOrigin, timeoutMs: 1000 });
const plain = { 'Content-Type': 'Text/Plain; charset="UTF-8"' };

void t.test('what is asked, without cookies, credentials and compression', async (t) => {
  const port = await webServer(t, ({ method, url, headers }, response) => {
    response.setHeader('Set-Cookie', 'a=b');
    if (url === '/moved') response.writeHead(302, { Location: '/there?x=y#z' }).end();
    else response.writeHead(200, plain).end(JSON.stringify({ method, url, headers }));
  });
  const { url, mediaType, charset, body } = await allowed(`http://a.example:${port}/moved`, TEXT);
  t.same([url.pathname, mediaType, charset], ['/there', 'text/plain', 'utf-8']);
  t.same(JSON.parse(body.toString()), {
    method: 'GET',
    url: '/there?x=y',
    headers: {
      accept: 'text/plain',
      'accept-encoding': 'identity',
      'user-agent': 'Mozilla/5.0 (compatible; ParleyLinkPreview/1.0)',
      host: `a.example:${port}`,
      connection: 'close',
    },
  });
});

void t.test('no way leads to what is not public', async (t) => {
  let asked = 0;
  const port = await webServer(t, ({ url }, response) => {
    asked += 1;
    response.writeHead(302, { Location: decodeURIComponent(url!.slice(2)) }).end();
  });
  const closed = { message: 'The address is not public' };
  for (const host of [
    ...['localhost', 'public.example', '127.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '0177.1'],
    ...['0', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '169.254.169.254'],
    ...['[64:ff9b::7f00:1]', '[fe80::1]', '10.0.0.1', '127.0.0.1.', '１２７.０.０.１'],
  ]) {
    await t.rejects(strict(`http://${host}:${port}/`, TEXT), closed, host);
  }
  t.equal(asked, 0);
  // The operator allows this address alone; redirects are judged like the first address.
  for (const target of [
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://127.0.0.2/',
    '//2130706434/',
  ]) {
    const address = `http://127.0.0.1:${port}/?${encodeURIComponent(target)}`;
    await t.rejects(allowed(address, TEXT), closed, target);
  }
  const redirected = async (target: string): Promise<void> =>
    void (await allowed(`http://127.0.0.1:${port}/?${encodeURIComponent(target)}`, TEXT));
  const notOfWeb = { message: 'The address is not one of the web' };
  await t.rejects(redirected('file:///etc/passwd'), notOfWeb);
  await t.rejects(redirected('http://me:secret@127.0.0.1/'), notOfWeb);
  await t.rejects(redirected(`http://a.example/${'a'.repeat(2000)}`), notOfWeb);
  await t.rejects(redirected('http://127.0.0.1:25/'), {
    message: 'The port is not one of the web',
  });
  await t.rejects(redirected(`${ownOrigin}/x`), { message: 'The address is of this server' });
  await t.rejects(redirected(''), { message: 'Too many redirects' });
  for (const wrong of ['http://me:secret@a.example/', 'ftp://a.example/', '', 'http://', '/x']) {
    await t.rejects(allowed(wrong, TEXT), notOfWeb, wrong);
  }
});

void t.test('a name is resolved once: the connection goes where it was checked', async (t) => {
  const port = await webServer(t, (_request, response) => response.writeHead(200, plain).end('x'));
  let lookups = 0;
  const rebinding = async () => [
    { address: lookups++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 },
  ];
  const get = guardedGet({
    addresses: new ReachableAddresses(['127.0.0.1'], rebinding),
    ownOrigin,
  });
  t.equal((await get(`http://a.example:${port}/`, TEXT)).body.toString(), 'x');
  t.equal(lookups, 1);
});

void t.test('where one address of a name does not answer, the next is tried', async (t) => {
  const port = await webServer(t, (_request, response) => response.writeHead(200, plain).end('x'));
  const several = async () => ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 }));
  const get = guardedGet({
    addresses: new ReachableAddresses(['127.0.0.0/8'], several),
    ownOrigin,
  });
  t.equal((await get(`http://a.example:${port}/`, TEXT)).body.toString(), 'x');
});

void t.test('what is too long, too slow, compressed or of another kind', async (t) => {
  const port = await webServer(t, ({ url }, response) => {
    const head = (headers: Record<string, string>) =>
      response.writeHead(200, { ...plain, ...headers });
    if (url === '/long') head({ 'Content-Length': '1001' }).end('x'.repeat(1001));
    else if (url === '/chunks') head({}).end('x'.repeat(1001));
    else if (url === '/half') head({}).write('x');
    else if (url === '/gzip')
      head({ 'Content-Encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000)));
    else if (url === '/html') head({ 'Content-Type': 'text/html' }).end('x');
    else if (url === '/none') response.writeHead(200).end('x');
    else if (url === '/missing') response.writeHead(404, plain).end('x');
    else if (url === '/head') head({ X: 'x'.repeat(40_000) }).end('x');
    else if (url === '/endless') endless(() => response.write('x'.repeat(100)));
  });
  const endless = (write: () => boolean): void => {
    const timer = setInterval(write, 1);
    t.teardown(() => clearInterval(timer));
    write();
  };
  const at = (path: string, wanted = TEXT) => allowed(`http://a.example:${port}/${path}`, wanted);
  await t.rejects(at('long'), { message: 'The answer is too long' });
  await t.rejects(at('chunks'), { message: 'The answer is too long' });
  await t.rejects(at('half'));
  await t.rejects(at('silent'), { name: 'AbortError' });
  await t.rejects(at('gzip'), { message: 'The answer is compressed' });
  for (const other of ['html', 'none']) {
    await t.rejects(at(other), { message: 'The media type is not one that is shown' });
  }
  await t.rejects(at('missing'), { message: 'The address answered 404' });
  await t.rejects(at('head'), { code: 'HPE_HEADER_OVERFLOW' });
  t.equal((await at('chunks', { ...TEXT, isPartEnough: true })).body.length, 1000);
  t.equal((await at('long', { ...TEXT, isPartEnough: true })).body.length, 1000);
  const late = guardedGet({
    addresses: new ReachableAddresses([], () => new Promise(() => undefined)),
    ownOrigin,
    timeoutMs: 20,
  });
  await t.rejects(late('http://a.example/', TEXT), {
    message: 'The address did not answer in time',
  });
});

void t.test('an address puts nothing into the request but itself', async (t) => {
  const lines: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (data) => {
      lines.push(...data.toString().split('\r\n').slice(0, 1));
      socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  await allowed(`http://a.example:${port}/\r\nX: y?a b\n\t#\r\nZ: z`, TEXT);
  await allowed(`http://a.example:${port}/%0d%0aX:%20y`, TEXT);
  t.same(lines, ['GET /X:%20y?a%20b HTTP/1.1', 'GET /%0d%0aX:%20y HTTP/1.1']);
});
