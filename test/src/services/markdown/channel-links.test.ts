import t from 'tap';
import { encodeHashComponent } from '../../../../src/services/markdown/channel-links.js';
import { html, render } from './fixtures.js';

void t.test('a channel in **#…** becomes a link to it', async (t) => {
  t.equal(
    html('#**my team**'),
    '<p><a class="stream" data-stream-id="5" href="/#narrow/channel/5-my-team">#my team</a></p>',
  );
});

void t.test('a channel with a topic becomes a link to the topic', async (t) => {
  t.equal(
    html('see #**my team>lunch & more.**'),
    '<p>see <a class="stream-topic" data-stream-id="5" ' +
      'href="/#narrow/channel/5-my-team/topic/lunch.20.26.20more.2E">' +
      '#my team &gt; lunch &amp; more.</a></p>',
  );
  t.equal(
    html('#**my team>**'),
    '<p><a class="stream-topic" data-stream-id="5" href="/#narrow/channel/5-my-team/topic/">' +
      '#my team &gt; <em>general chat</em></a></p>',
    'the topic without a name',
  );
});

void t.test('a topic with messages leads to where its newest one is', async (t) => {
  t.equal(
    html('#**my team>moved**'),
    '<p><a class="stream-topic" data-stream-id="5" ' +
      'href="/#narrow/channel/5-my-team/topic/moved/with/77">#my team &gt; moved</a></p>',
  );
});

void t.test('a topic with a message id becomes a link to the message', async (t) => {
  t.equal(
    html('#**my team>lunch@42**'),
    '<p><a class="message-link" href="/#narrow/channel/5-my-team/topic/lunch/near/42">' +
      '#my team &gt; lunch @ 💬</a></p>',
  );
});

void t.test('names are encoded for a fragment', async (t) => {
  t.match(html('#**a.b (c)%**'), 'href="/#narrow/channel/6-a.2Eb-.28c.29.25"');
  t.equal(encodeHashComponent("é/?#!*'"), '.C3.A9.2F.3F.23.21.2A.27');
  t.equal(encodeHashComponent('\ud800'), '.EF.BF.BD', 'whatever the text');
});

void t.test('unknown channels stay text; code has no links', async (t) => {
  t.equal(html('#**nowhere**'), '<p>#**nowhere**</p>');
  t.equal(html('#**nowhere>x**'), '<p>#**nowhere&gt;x**</p>');
  t.equal(html('`#**my team**`'), '<p><code>#**my team**</code></p>');
});

void t.test('links do not nest, and do not count as links of the message', async (t) => {
  t.equal(
    html('[#**my team**](https://x.com)'),
    '<p><a href="https://x.com">#<strong>my team</strong></a></p>',
  );
  t.equal(render('#**my team**').has_link, false);
});
