import { sender } from '../../sender.js';
import { bodyHmac } from '../../signatures.js';

const ACTOR = '{actor.displayName|actor.name}';
const PR = '[PR #{pullRequest.id} {pullRequest.title}](pullRequest.links.self.0.href)';
const PR_TOPIC = '{pullRequest.toRef.repository.name} / PR #{pullRequest.id} {pullRequest.title}';

const onPullRequest = (text: string) => ({ topic: PR_TOPIC, text: `${ACTOR} ${text}` });

export const bitbucketServer = sender({
  name: 'bitbucket3',
  displayName: 'Bitbucket Data Center',
  docs: 'https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html',
  event: '{#x-event-key}',
  signature: bodyHmac('x-hub-signature', 'sha256='),
  topic: '{repository.name}',
  words: { change: { ADD: 'created', DELETE: 'deleted', UPDATE: 'pushed to' } },
  events: {
    'diagnostics:ping': { topic: 'Bitbucket', text: 'The webhook of Bitbucket works.' },
    'repo:refs_changed': [
      {
        when: 'changes.1',
        text: `${ACTOR} changed {changes:count ref}:`,
        each: ['changes', '{type:@change} {ref.type:lower} {ref.displayId:code}'],
      },
      {
        topic: '{repository.name} / {changes.0.ref.displayId}',
        text: `${ACTOR} {changes.0.type:@change} {changes.0.ref.type:lower} {changes.0.ref.displayId:code}.`,
      },
    ],
    'repo:comment:added': `${ACTOR} commented on {commit:short:code}:{comment.text:quote}`,
    'repo:comment:edited': `${ACTOR} changed a comment on {commit:short:code}:{comment.text:quote}`,
    'repo:comment:deleted': `${ACTOR} deleted a comment on {commit:short:code}.`,
    'repo:forked': {
      topic: '{repository.origin.name}',
      text: `${ACTOR} forked the repository to [{repository.project.name}/{repository.name}](repository.links.self.0.href).`,
    },
    'repo:modified': {
      topic: '{new.name}',
      text: `${ACTOR} changed the repository {old.name:bold} to {new.name:bold}.`,
    },
    'pr:opened': onPullRequest(
      `opened ${PR} from {pullRequest.fromRef.displayId:code} to {pullRequest.toRef.displayId:code}.<<{pullRequest.description:quote}>>`,
    ),
    'pr:modified': onPullRequest(`changed ${PR}.`),
    'pr:from_ref_updated': onPullRequest(`updated ${PR}.`),
    'pr:merged': onPullRequest(`merged ${PR}.`),
    'pr:declined': onPullRequest(`declined ${PR}.`),
    'pr:deleted': onPullRequest(`deleted ${PR}.`),
    'pr:comment:added': onPullRequest(`commented on ${PR}:{comment.text:quote}`),
    'pr:comment:edited': onPullRequest(`changed a comment on ${PR}:{comment.text:quote}`),
    'pr:comment:deleted': onPullRequest(`deleted a comment on ${PR}.`),
    'pr:reviewer:approved': onPullRequest(`approved ${PR}.`),
    'pr:reviewer:unapproved': onPullRequest(`took back the approval of ${PR}.`),
    'pr:reviewer:needs_work': onPullRequest(`asked for changes of ${PR}.`),
    'pr:reviewer:updated': onPullRequest(`changed the reviewers of ${PR}.`),
  },
});
