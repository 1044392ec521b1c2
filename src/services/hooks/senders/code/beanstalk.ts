import { sender } from '../../sender.js';

/** The form's field `payload` has the push; hooks for Subversion have one commit and no list. */
export const beanstalk = sender({
  name: 'beanstalk',
  displayName: 'Beanstalk',
  docs: 'https://support.beanstalkapp.com/article/918-classic-webhooks',
  event: '<<{ref:=push}>><<{revision:=commit}>>',
  topic: '{repository.name} / {branch|ref:branch}',
  events: {
    push: {
      text: '{pusher_name} pushed {commits:count commit} to branch {branch|ref:branch:code}.\n',
      each: ['commits', '{message:first} ([{id:short}](url))'],
    },
    commit: {
      topic: 'svn r{revision}',
      text: '{author_full_name|author} made [revision {revision}](changeset_url):{message:quote}',
    },
  },
});
