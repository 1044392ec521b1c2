import t from 'tap';
import { createApp, type NativeApp, type NativeResponse } from '../../../src/http/native.js';
import { nativeFaults } from '../../../src/http/native-probe.js';

void t.test('the build for this release does what Parley needs', async (t) => {
  t.same(await nativeFaults(), []);
});

void t.test('where no port is free to ask it, that is said', async (t) => {
  const closed: string[] = [];
  const portless = (): NativeApp => {
    const app = createApp();
    const close = app.close.bind(app);
    const none = {
      listen: (...args: unknown[]) => {
        (args.at(-1) as (socket: false) => void)(false);
        return app;
      },
      close: () => {
        closed.push('closed');
        return close();
      },
    };
    return Object.assign(app, none);
  };
  await t.rejects(nativeFaults(portless), {
    name: 'CannotListenError',
    message:
      /^Cannot listen on 127\.0\.0\.1:0: no port is free to ask the installed uWebSockets\.js/,
  });
  t.same(closed, ['closed']);
});

type Body = Parameters<NativeResponse['end']>[0];

/** A library whose replies are made by another function. */
function altered(end: (response: NativeResponse, body: Body) => void): () => NativeApp {
  return () => {
    const app = createApp();
    const any = app.any.bind(app);
    const other: NativeApp['any'] = (path, handler) =>
      any(path, (response, request) => {
        const whole: NativeResponse['end'] = response.end.bind(response);
        const last = (body: Body): void => {
          Object.assign(response, { end: whole });
          end(response, body);
        };
        return handler(Object.assign(response, { end: last }), request);
      });
    return Object.assign(app, { any: other });
  };
}

void t.test('a library that sends bytes as Latin-1 is found out, with what it sends', async (t) => {
  const faults = await nativeFaults(
    altered((response, body) => {
      const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
      const isLatin1 = [...text].every((letter) => letter < '\u0100');
      response.end(Buffer.from(text, isLatin1 ? 'latin1' : 'utf8'));
    }),
  );
  t.equal(
    faults[0],
    'a body (whole), letters of Western Europe: e4736520 in place of c3a47365 at byte 1',
  );
  t.ok(faults.includes('a body (whole), a long text: e4e4e4e4 in place of c3a4c3a4 at byte 0'));
  t.notOk(faults.some((fault) => fault.includes('ASCII')));
  t.notOk(faults.some((fault) => fault.includes('frame')));
});
