import { sender } from '../../sender.js';
import { bodyHmac } from '../../signatures.js';

export const sonarqube = sender({
  name: 'sonarqube',
  displayName: 'SonarQube',
  docs: 'https://docs.sonarsource.com/sonarqube-server/latest/project-administration/webhooks/',
  event: '{status}',
  signature: bodyHmac('x-sonar-webhook-hmac-sha256'),
  topic: '{project.name}<< / {branch.name}>>',
  words: { gate: { OK: 'passed', ERROR: 'failed', WARN: 'passed with warnings' } },
  events: {
    SUCCESS: {
      text: 'The quality gate {qualityGate.name:bold} of [{project.name}](branch.url|project.url) {qualityGate.status:@gate:bold}.',
      each: [
        'qualityGate.conditions',
        '{metric:spaced}: {status:@gate}<<, {value}>><< (limit: {errorThreshold})>>',
      ],
    },
    FAILED: 'The analysis of [{project.name}](project.url) **failed**.',
    CANCELED: 'The analysis of [{project.name}](project.url) was cancelled.',
  },
});
