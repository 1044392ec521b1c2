import { sender } from '../../sender.js';

const THINGS =
  'comment document message question question_answer schedule_entry todo todolist upload';
const DONE =
  'created active content_changed title_changed archived unarchived trashed completed uncompleted assignment_changed due_on_changed publicized copied';
const KINDS = THINGS.split(' ').flatMap((thing) =>
  DONE.split(' ').map((done) => `${thing}_${done}`),
);

export const basecamp = sender({
  name: 'basecamp',
  displayName: 'Basecamp',
  docs: 'https://github.com/basecamp/bc3-api/blob/master/sections/webhooks.md',
  event: '{kind}',
  topic: '{recording.bucket.name}',
  events: {
    [KINDS.join(', ')]:
      '{creator.name}: {$event:spaced}: [{recording.title}](recording.app_url).<<{recording.content:html:quote}>>',
  },
});
