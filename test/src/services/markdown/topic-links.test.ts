import t from 'tap';
import { markdown } from './fixtures.js';

void t.test('web addresses in a topic', async (t) => {
  t.same(markdown.renderTopicLinks('no links, a@x.com, x.com'), []);
  t.same(markdown.renderTopicLinks('see http://b.com/1, https://a.com.'), [
    { text: 'http://b.com/1', url: 'http://b.com/1' },
    { text: 'https://a.com', url: 'https://a.com' },
  ]);
  t.same(markdown.renderTopicLinks('javascript:alert(1) ftp://x.com'), []);
});

void t.test('linkifiers come first where they overlap, and all are in order', async (t) => {
  const linkifier = {
    *linksIn(topic: string): Iterable<{ text: string; url: string; index: number }> {
      for (const match of topic.matchAll(/#(\d+)/g)) {
        yield { text: match[0], url: `https://bugs.example/${match[1]}`, index: match.index };
      }
    },
  };
  t.same(markdown.renderTopicLinks('http://a.com/#12 #34 http://b.com', [linkifier]), [
    { text: '#12', url: 'https://bugs.example/12' },
    { text: '#34', url: 'https://bugs.example/34' },
    { text: 'http://b.com', url: 'http://b.com' },
  ]);
});

void t.test('an overlong topic is not searched', async (t) => {
  t.same(markdown.renderTopicLinks(`http://a.com ${'x'.repeat(1000)}`), []);
});
