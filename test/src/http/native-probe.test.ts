import t from 'tap';
import { createApp, type NativeApp, type NativeResponse } from '../../../src/http/native.js';
import { nativeFaults } from '../../../src/http/native-probe.js';

void t.test('the build for this release does what Parley needs', async (t) => {
  t.same(await nativeFaults(), []);
});

/** A library whose replies are made by another function. */
function altered(
  end: (response: NativeResponse, body: Parameters<NativeResponse['end']>[0]) => void,
) {
  return (): NativeApp => {
    const app = createApp();
    const any = app.any.bind(app);
    const alteredAny: NativeApp['any'] = (path, handler) => {
      any(path, (response, request) => {
        const original = response.end.bind(response);
        const same: NativeResponse = response;
        response.end = ((body: Parameters<NativeResponse['end']>[0]) => {
          response.end = original as typeof response.end;
          end(same, body);
          return response;
        }) as typeof response.end;
        return handler(response, request);
      });
      return app as unknown as ReturnType<NativeApp['any']>;
    };
    app.any = alteredAny;
    return app;
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
