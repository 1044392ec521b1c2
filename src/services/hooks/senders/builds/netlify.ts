import { sender } from '../../sender.js';

const DEPLOY = 'The [deploy](admin_url) of branch {branch:code} of [{name}](ssl_url|url)';

export const netlify = sender({
  name: 'netlify',
  displayName: 'Netlify',
  docs: 'https://docs.netlify.com/site-deploys/notifications/#outgoing-webhooks',
  event: '{#x-netlify-event}',
  topic: '{name} / {branch}',
  events: {
    deploy_building: `${DEPLOY} is being built.`,
    deploy_created: `${DEPLOY} is ready.<<\n* {title}>>`,
    deploy_failed: `${DEPLOY} **failed**.<<{error_message:quote}>>`,
    deploy_locked: `${DEPLOY} was locked.`,
    deploy_unlocked: `${DEPLOY} was unlocked.`,
    deploy_request_pending: `${DEPLOY} waits for approval.`,
    deploy_request_accepted: `${DEPLOY} was approved.`,
    deploy_request_rejected: `${DEPLOY} was rejected.`,
    deploy_deleted: `${DEPLOY} was deleted.`,
  },
});
