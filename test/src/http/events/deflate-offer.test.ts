import t from 'tap';
import { deflateOffer } from '../../../../src/http/events/deflate-offer.js';

const PLAIN = 'permessage-deflate';

void t.test('an offer as browsers and libraries make it is taken', async (t) => {
  for (const [header, taken] of [
    [PLAIN, PLAIN],
    // Chromium, Firefox, ws for Node.
    [`${PLAIN}; client_max_window_bits`, `${PLAIN}; client_max_window_bits`],
    [`${PLAIN};client_max_window_bits=15`, `${PLAIN}; client_max_window_bits=15`],
    [`${PLAIN}; client_max_window_bits="9"`, `${PLAIN}; client_max_window_bits=9`],
    [
      `${PLAIN} ; server_no_context_takeover ;client_no_context_takeover`,
      `${PLAIN}; server_no_context_takeover; client_no_context_takeover`,
    ],
    [`x-webkit-deflate-frame, ${PLAIN}`, PLAIN],
    [`unknown; text="a, permessage-deflate; \\", b", ${PLAIN}`, PLAIN],
  ] as const) {
    t.equal(deflateOffer(header), taken, header);
  }
});

void t.test(
  'one that RFC 7692 forbids to accept is declined, and the next one counts',
  async (t) => {
    for (const parameters of [
      'unknown',
      'unknown=1',
      'constructor',
      'client_max_window_bits; client_max_window_bits',
      'client_max_window_bits=7',
      'client_max_window_bits=16',
      'client_max_window_bits=08',
      'client_max_window_bits=',
      'client_max_window_bits=""',
      'client_max_window_bits="10',
      'client_max_window_bits=10 10',
      'client_no_context_takeover=1',
      'client_no_context_takeover=""',
      'server_no_context_takeover; server_no_context_takeover',
      // The native layer would not keep to it.
      'server_max_window_bits=12',
      'server_max_window_bits',
      '',
      '=10',
    ]) {
      const offer = `${PLAIN}; ${parameters}`;
      t.equal(deflateOffer(offer), '', offer);
      const isOpen = parameters.split('"').length % 2 === 0;
      if (!isOpen) t.equal(deflateOffer(`${offer}, ${PLAIN}`), PLAIN, `${offer}, and a plain one`);
    }
  },
);

void t.test('what only contains the name is no offer', async (t) => {
  for (const header of ['', 'permessage-deflates', 'x-permessage-deflate', 'a; permessage-deflate'])
    t.equal(deflateOffer(header), '', header);
});
