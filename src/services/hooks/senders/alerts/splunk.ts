import { sender } from '../../sender.js';

export const splunk = sender({
  name: 'splunk',
  displayName: 'Splunk',
  docs: 'https://docs.splunk.com/Documentation/Splunk/latest/Alert/Webhooks',
  event: '',
  topic: "{search_name|'Splunk'}",
  events: {
    '':
      "The search [{search_name|'without a name'}](results_link) found a result." +
      '<<\n* Host: {result.host}>><<\n* Source: {result.source:code}>><<{result._raw:block}>>',
  },
});
