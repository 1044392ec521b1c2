import t from 'tap';
import { html } from '../../../../src/services/text/html.js';

void t.test('values are escaped, templates are not', async (t) => {
  const evil = `"><script>alert('x')</script>&`;
  t.equal(
    html`<a title="${evil}">${evil}</a>`.text,
    '<a title="&quot;&gt;&lt;script&gt;alert(\'x\')&lt;/script&gt;&amp;">' +
      "&quot;&gt;&lt;script&gt;alert('x')&lt;/script&gt;&amp;</a>",
  );
  const items = ['a', '<b>'].map((one) => html`<li>${one}</li>`);
  t.equal(html`${items}`.text, '<li>a</li><li>&lt;b&gt;</li>');
  t.equal(html`${1}${null}${undefined}${false}${html`<br />`}`.text, '1<br />');
});
