import { sender } from '../../sender.js';
import { bodyHmac } from '../../signatures.js';

const TOPIC = '[{topic.title}]({#x-discourse-instance}/t/{topic.slug}/{topic.id})';
const POST =
  '[{post.topic_title}]({#x-discourse-instance}/t/{post.topic_slug}/{post.topic_id}/{post.post_number})';
const AUTHOR = "{topic.created_by.username|topic.details.created_by.username|'Somebody'}";
const USER = '[{user.username}]({#x-discourse-instance}/u/{user.username})';

const onPost = (text: string) => ({ topic: '{post.topic_title}', text });
const onUser = (text: string) => ({ topic: '{user.username}', text });

export const discourse = sender({
  name: 'discourse',
  displayName: 'Discourse',
  docs: 'https://meta.discourse.org/t/configure-webhooks-that-trigger-on-discourse-events/49045',
  event: '{#x-discourse-event}',
  signature: bodyHmac('x-discourse-event-signature', 'sha256='),
  topic: '{topic.title}',
  events: {
    ping: { topic: 'Discourse', text: 'The webhook of Discourse works.' },
    topic_created: `${AUTHOR} created the topic ${TOPIC}.`,
    topic_edited: `The topic ${TOPIC} was changed.`,
    topic_destroyed: `The topic ${TOPIC} was deleted.`,
    topic_recovered: `The topic ${TOPIC} was restored.`,
    topic_closed_status_updated: [
      { when: 'topic.closed=true', text: `The topic ${TOPIC} was closed.` },
      { text: `The topic ${TOPIC} was opened again.` },
    ],
    // The first post is the topic itself, which was told.
    post_created: {
      when: 'post.post_number!=1',
      ...onPost(`{post.username} replied to ${POST}:<<{post.raw|post.cooked:html:quote}>>`),
    },
    post_edited: onPost(
      `{post.username}'s post in ${POST} was changed:<<{post.raw|post.cooked:html:quote}>>`,
    ),
    post_destroyed: onPost(`{post.username}'s post in ${POST} was deleted.`),
    post_recovered: onPost(`{post.username}'s post in ${POST} was restored.`),
    user_created: onUser(`${USER} signed up<< ({user.name})>>.`),
    user_approved: onUser(`${USER} was approved.`),
    user_destroyed: onUser('{user.username:bold} was deleted.'),
  },
  quiet: [
    'topic_*',
    'user_*',
    'group_*',
    'category_*',
    'tag_*',
    'notification_*',
    'solved_*',
    'like_*',
  ],
});
