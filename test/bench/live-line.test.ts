import t from 'tap';
import { LiveLine, Tallies, TALLY_MS } from '../../bench/live-line.js';

class Terminal {
  text = '';
  readonly columns = 60;
  constructor(readonly isTTY: boolean) {}
  write(text: string): void {
    this.text += text;
  }
}

void t.test('a terminal shows the rate of each second, of all generators together', async (t) => {
  const terminal = new Terminal(true);
  const line = new LiveLine(terminal);
  line.say('wide: parley: measuring');
  terminal.text = '';
  const tallies = new Tallies(line, 2, 10_000);
  tallies.take(0, 600, 10_990);
  t.equal(terminal.text, '', 'before all have told, nothing');
  tallies.take(1, 400, 11_000);
  tallies.take(0, 1_600, 12_000);
  tallies.take(1, 1_400, 12_500);
  t.equal(
    terminal.text,
    '\r\u001b[K  wide: parley: measuring: second 1, 1,000 operations/s' +
      // 2000 within a second and a half.
      '\r\u001b[K  wide: parley: measuring: second 3, 1,333 operations/s',
  );
  terminal.text = '';
  line.say('wide: floor: measuring');
  t.equal(terminal.text, '\r\u001b[K  wide: floor: measuring\n', 'the changing line is gone');
  line.say('a long label '.repeat(10));
  terminal.text = '';
  line.rate(1, TALLY_MS, 1);
  t.equal(terminal.text.length, '\r\u001b[K'.length + terminal.columns - 1, 'and never breaks');
});

void t.test('elsewhere there are whole lines alone', async (t) => {
  const file = new Terminal(false);
  const line = new LiveLine(file);
  line.say('wide: parley: measuring');
  line.rate(1000, TALLY_MS, 1);
  line.clear();
  t.equal(file.text, '  wide: parley: measuring\n');
  t.notOk(line.isLive);
});
