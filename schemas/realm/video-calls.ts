/** Links of video calls (endpoints-organization.md#video-calls). */
import Type from 'typebox';
import { endpoint, optional, required, withDefault } from '../endpoint.js';
import { MAX_CALL_NAME_LENGTH } from '../limits.js';
import { ShortText, text } from '../text.js';

const provider = required(ShortText, {
  description:
    'The service that holds the call: `zoom` (POST) or `bigbluebutton` (GET), where the operator configured it. ' +
    '`webex`, `nextcloud_talk` and `constructorgroups` are never.',
});
const Link = Type.Object({
  url: Type.String({
    description: 'Address by which people join the call.',
    examples: ['https://zoom.us/j/85012345678?pwd=x'],
  }),
});

/** Makes a meeting of the caller's at Zoom. */
export const createVideoCall = endpoint({
  operation: 'create-video-call',
  method: 'POST',
  path: '/calls/{provider}/create',
  access: 'user',
  summary: 'Make a video call at Zoom',
  params: {
    provider,
    is_video_call: withDefault(Type.Boolean(), true, {
      description: 'Whether cameras are on at the beginning.',
    }),
  },
  response: Link,
  errors: [],
  example: { provider: 'zoom' },
  events: [],
});

/** Makes the link of a call, which begins when somebody follows it. */
export const getVideoCall = endpoint({
  operation: 'get-video-call',
  method: 'GET',
  path: '/calls/{provider}/create',
  access: 'user',
  summary: 'Get a link of a new video call of BigBlueButton',
  params: {
    provider,
    meeting_name: optional(text(MAX_CALL_NAME_LENGTH), {
      description: "What the call is called; the organization's name where absent.",
    }),
    voice_only: withDefault(Type.Boolean(), false, {
      description: 'Whether cameras are disabled.',
    }),
  },
  response: Link,
  errors: [],
  example: { provider: 'bigbluebutton', meeting_name: 'Rehearsal' },
  events: [],
});
