import t from 'tap';
import { clientName } from '../../../src/http/request-context.js';

void t.test('the name of a client program', async (t) => {
  const cases: readonly [string, string | undefined, string][] = [
    ['ZulipPython/0.9.1 (Debian GNU/Linux; 12)', undefined, 'ZulipPython'],
    ['ZulipTerminal/0.7.0+git Linux (x)', undefined, 'ZulipTerminal'],
    ['node-fetch/1.0 (+https://github.com/bitinn/node-fetch)', undefined, 'node-fetch'],
    ['My Client', undefined, 'My'],
    ['', undefined, 'Unspecified'],
    ['/1.0', undefined, 'Unspecified'],
    ['x'.repeat(40), undefined, 'x'.repeat(30)],
    ['ZulipFlutter', 'website', 'website'],
    ['ZulipFlutter', 'my desktop app', 'my desktop app'],
    ['ZulipFlutter', ' ', 'ZulipFlutter'],
    ['ZulipFlutter', 'a\0b\n', 'ab'],
    ['ZulipFlutter', '😀'.repeat(31), '😀'.repeat(30)],
    ['ZulipFlutter', 'web\u202eetis\u2069', 'webetis'],
    ['ZulipFlutter', 'web\u200bsi\u3164te\u2028', 'website'],
    ['ZulipFlutter', '\u2800\u00ad', 'ZulipFlutter'],
    ['ZulipFlutter', '\u0085a\u{e0041}', 'a'],
  ];
  for (const [agent, parameter, expected] of cases) t.equal(clientName(agent, parameter), expected);
});
