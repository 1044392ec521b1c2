import { sender } from '../../sender.js';

export const airbrake = sender({
  name: 'airbrake',
  displayName: 'Airbrake',
  docs: 'https://docs.airbrake.io/docs/integrations/webhooks/',
  event: '{error.id:=error}',
  topic: '{error.project.name}',
  events: {
    error:
      '[{error.error_class}](airbrake_error_url): {error.error_message}' +
      '<<\n* Where: {error.file:code}>><<, line {error.line_number}>>' +
      '<<\n* Environment: {error.environment}>><<\n* Occurred: {error.times_occurred}>>',
  },
});
