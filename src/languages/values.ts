/* What each message is given; made of the English catalogs by scripts/languages.js. */

type NoValues = Record<never, never>;

/** By area and id, for messages that are given something. */
export interface Values {
  chat: {
    'common.members': { count: number };
    'common.too-long': { count: number };
    'app.ended': { reason: string | number };
    'title.search': { text: string | number };
    'person.you': { name: string | number };
    'notice.title': { sender: string | number; conversation: string | number };
    'list.find-by-key': { key: string | number };
    'list.all-topics': { count: number };
    'row.unread': { count: number };
    'home.preview': { sender: string | number; text: string | number };
    'message.label': { sender: string | number; time: string | number };
    'message.said': { person: string | number; link: string | number };
    'message.reaction': { emoji: string | number; count: number };
    'message.reacted': { emoji: string | number; people: string | number };
    'poll.votes': { count: number };
    'write.to': { conversation: string | number };
    'write.topic-hint': { topic: string | number };
    'write.typing': { count: number; people: string | number };
    'write.uploading': { file: string | number };
    'write.upload-failed': { file: string | number; reason: string | number };
    'write.length': { length: number; most: number };
    'channel.join-it': { channel: string | number };
    'channel.joined': { channel: string | number };
    'channel.leave-it': { channel: string | number };
    'channel.leave-asked': { channel: string | number };
    'channel.left': { channel: string | number };
    'channel.public': { organization: string | number };
    'channel.private-title': { channel: string | number };
    'people.leave-out': { person: string | number };
    'people.begin': { count: number };
    'help.live-by': { transport: string | number };
  };
  console: NoValues;
  mails: {
    'test.subject': { organization: string | number };
    'test.body': { organization: string | number; url: string | number };
  };
  notices: NoValues;
  pages: NoValues;
  shared: NoValues;
}
