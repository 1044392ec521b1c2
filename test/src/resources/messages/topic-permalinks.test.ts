import t from 'tap';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

void t.test('a link to a topic names its newest message that the sender may read', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, general } = world;
  const linked = async (content: string, user = hamlet): Promise<string | undefined> => {
    const { content: html } = await world.message(await world.say(content, 'links', user), user);
    return /href="([^"]+)"/.exec(String(html))?.[1];
  };
  const topic = `/#narrow/channel/${general.stream_id}-general/topic/lunch`;
  t.equal(await linked('#**general>lunch**'), topic, 'none yet');
  await world.say('one');
  const newest = await world.say('two', 'Lunch');
  t.equal(await linked('#**general>lunch**'), `${topic}/with/${newest}`);
  t.equal(await linked(`#**general>lunch@${newest - 1}**`), `${topic}/near/${newest - 1}`);
  await world.say('secret', 'plans', hamlet, 'verona');
  t.match(await linked('#**verona>plans**'), /\/topic\/plans\/with\/\d+$/);
  t.ok((await linked('#**verona>plans**', ophelia)) !== undefined, 'a public channel');
});
