/** Random texts that are made to confuse a parser: what has a meaning somewhere, in every order. */

/** What is between two marks. */
const between = (text: string): string[] => text.split('¦');

const MARKDOWN = between(
  'a¦b ¦word¦ ¦  ¦\n¦\n\n¦\t¦    ¦\r\n¦\0¦\u00e9¦\u00a0¦\u2028¦*¦**¦***¦_¦~~¦`¦``¦"¦\'¦&¦<' +
    '¦>¦\\¦|¦#¦:¦!¦(¦)¦\n# ¦\n> ¦\n* ¦\n  - ¦\n1. ¦\n3) ¦\n---\n¦\n```\n¦\n```quote\n' +
    '¦\n~~~\n¦\n```spoiler <b>"x"\n¦\n```{.c++}\n¦\n```"><script>\n' +
    '¦\n|a|b|\n|:-|-:|\n|1|2|\n¦|-|-|\n¦[¦]¦](¦[a](https://x.com "t")¦[a]()¦![' +
    '¦![i](https://x.com/i.png "t")¦[x](/logout)¦https://x.com/a?b=1&c=2' +
    '¦https://x.com/"onclick="a¦www.x.com¦a@b.cd¦tel:+123¦//x.com¦javascript:x¦data:text/html,x' +
    '¦/user_uploads/1/a¦#narrow/channel/5¦<https://x.com>¦<a@b.cd>¦[j](javascript:x)' +
    '¦[d](data:x)¦[u](/user_uploads/2/a.png)¦[v](/user_uploads/../x)¦](mailto:a)' +
    '¦@**King Hamlet**¦@_**Othello**¦@**|7**¦@**all**¦@*core*¦@**topic**¦#**my team**' +
    '¦#**my team>a"<b>**¦#**my team>t@12**¦#**x>**¦:smile:¦:green_tick:¦:evil:¦:other:¦:quote:' +
    '¦:bucket:¦:)¦<3¦\ud83d\ude00¦\ud83d\udc68\u200d\ud83d\udc69¦\ud83c\udde9\ud83c\uddea' +
    '¦1\ufe0f\u20e3¦\ufe0f¦<time:2026-01-31>¦<time:x"y>¦<script>¦</script>¦<b onclick="x">¦<!--' +
    '¦-->¦<?¦<![CDATA[¦&amp;¦&lt;¦&quot;¦&#60;¦&#x22;¦&nbsp;¦&copy¦\\"¦\\<¦T1¦T2¦/me ¦\ud800' +
    '¦$$¦$$x_1$$¦$$<b>$$¦\n```math\n¦\n```python\n¦#!python\n¦~~ a ~~¦\n>\n¦fragment-0¦  \n',
);
const TAGS = between(
  'p¦p¦h1¦h3¦blockquote¦ul¦ol¦li¦li¦table¦thead¦tbody¦tr¦th¦td¦div¦pre¦code¦strong¦em¦del' +
    '¦span¦span¦a¦a¦time¦script¦b¦svg¦textarea',
);
const VOID = between('br¦hr¦img¦input');
const ATTRIBUTES = between(
  'class¦class¦href¦href¦src¦title¦alt¦style¦start¦datetime¦role¦id¦onclick¦data-user-id' +
    '¦data-stream-id¦aria-label¦aria-hidden¦data-code-language¦CLASS',
);
const VALUES = between(
  '¦x¦fragment-0¦fragment-x¦fragment-0 emoji¦emoji¦emoji emoji-1f642¦emoji emoji-zz¦user-mention¦user-mention silent¦evil¦ emoji' +
    '¦emoji\tsilent¦stream¦codehilite¦text-align: left;¦text-align: left¦color:red¦3' +
    '¦https://x.com¦http://x.com/?a=1&amp;b=2¦javascript:x¦java\nscript:x¦mailto:a@b.cd¦//x.com' +
    '¦/user_uploads/1¦/user_uploads/../a¦#narrow/a¦/#narrow/b¦/logout¦tel:+1¦/\\x.com¦/a.png' +
    '¦&quot;¦&lt;b&gt;¦&#106;avascript:x¦&colon;¦&amp;amp;¦a&b¦&¦<!--x-->¦data:x¦ https://x' +
    "¦https://x.com/&lt;!--¦https://\tx¦HTTPS://X.com¦\u00a0¦\0¦'¦&apos;",
);
const TEXTS = between(
  'a¦ ¦\n¦x "y"¦&amp;¦&lt;¦&gt;¦&quot;¦&nbsp;¦&¦&amp¦&amp;lt;¦<¦>¦"¦\'¦<!-- x -->¦<!¦<?php ?>' +
    '¦<![CDATA[x]]>¦</¦\0¦\r¦ />¦/>¦&#x3c;¦\u00a0¦\ud83d',
);

const NEARLY_PLAIN = between(
  'a¦b ¦word¦Word ¦ ¦ ¦ ¦\n¦\n¦1¦2. ¦3) ¦10 ¦.¦. ¦,¦, ¦?¦!¦! ¦\'¦"¦(¦)¦: ¦:¦:\n¦-¦- ¦+¦=¦%¦/¦_¦__¦$¦ä¦é ¦東京¦。' +
    '¦e\u0301¦\u2139¦\ufe0f¦\u20e3¦“¦”¦…¦tel: ¦tel:¦123¦://¦http: ¦mailto: ¦mailto:¦:smile:¦:green_tick:¦:x:¦:)¦(:¦:/¦.com¦P¦D ¦p¦smile¦\u200d¦😀¦*¦a@b.cd¦me ',
);

type Random = () => number;

function pick(random: Random, texts: readonly string[]): string {
  return texts[Math.floor(random() * texts.length)]!;
}

/** The source of a message. */
export function hostileMarkdown(random: Random): string {
  const length = 1 + Math.floor(random() ** 2 * 40);
  return Array.from({ length }, () => pick(random, MARKDOWN)).join('');
}

/** Words and signs, most of which mean nothing. */
export function nearlyPlainText(random: Random): string {
  const length = 1 + Math.floor(random() ** 2 * 12);
  const text = (): string => (random() < 0.75 ? 'a' : '') + pick(random, NEARLY_PLAIN);
  return `${Array.from({ length }, text).join('')}${random() < 0.7 ? 'b' : ''}`;
}

/** HTML: some of it well-formed, some of it as messages have it, some of it neither. */
export function hostileHtml(random: Random): string {
  const wildness = random() < 0.2 ? 0 : 0.3 * random();
  let left = 1 + Math.floor(random() * 8);
  const content = (parent: string): string => {
    let html = '';
    while (left > 0 && random() < 0.8) {
      left -= 1;
      html += random() < 0.5 ? text(random, wildness) : element(parent);
    }
    return html;
  };
  const element = (parent: string): string => {
    const tag = childOf(random, parent, wildness);
    const start = `<${tag}${attributes(random, tag, wildness)}>`;
    if (VOID.includes(tag)) return start;
    const end =
      random() < wildness ? pick(random, ['', `</${pick(random, TAGS)}>`, '</br>']) : `</${tag}>`;
    return `${start}${content(tag)}${end}`;
  };
  let html = content('');
  if (random() < wildness) {
    const at = Math.floor(random() * html.length);
    html =
      html.slice(0, at) + pick(random, [...TEXTS, '<p>', '</p>', '=', ' ']) + html.slice(at + 1);
  }
  return html;
}

const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  '': ['p', 'ul', 'ol', 'blockquote', 'table', 'div', 'hr', 'h2', 'span', 'a', 'em'],
  ul: ['li'],
  ol: ['li'],
  li: ['p', 'ul', 'em', 'a'],
  blockquote: ['p', 'ul', 'blockquote'],
  table: ['thead', 'tbody'],
  thead: ['tr'],
  tbody: ['tr'],
  tr: ['th', 'td'],
  div: ['p', 'pre', 'div'],
};

function childOf(random: Random, parent: string, wildness: number): string {
  if (random() < 3 * wildness) return pick(random, [...TAGS, ...VOID]);
  return pick(
    random,
    CHILDREN[parent] ?? ['em', 'strong', 'code', 'a', 'span', 'br', 'img', 'time'],
  );
}

const PROPER: Readonly<Record<string, readonly string[]>> = {
  a: [
    '',
    ' href="https://x.com"',
    ' href="#narrow/a" title="t &amp; &quot;"',
    ' class="stream" data-stream-id="5"',
  ],
  img: [
    ' class="emoji" src="/a.png"',
    ' alt=":a:" class="emoji" src="https://x.com/a.png" title="a"',
  ],
  ol: ['', ' start="3"'],
  span: [
    '',
    ' class="emoji emoji-1f642" role="img"',
    ' class="user-mention silent" data-user-id="*"',
  ],
  td: ['', ' style="text-align: left;"'],
  div: ['', ' class="codehilite"', ' class="spoiler-content" aria-hidden="true"'],
};

function attributes(random: Random, tag: string, wildness: number): string {
  if (random() >= 4 * wildness) return pick(random, PROPER[tag] ?? ['']);
  let text = '';
  while (random() < 0.6) {
    const value = pick(random, VALUES);
    const quoted =
      random() < wildness ? pick(random, [value, `'${value}'`, `"${value}`]) : `"${value}"`;
    text += ` ${pick(random, ATTRIBUTES)}=${quoted}`;
  }
  return text;
}

function text(random: Random, wildness: number): string {
  return random() < 3 * wildness ? pick(random, TEXTS) : pick(random, TEXTS.slice(0, 8));
}
