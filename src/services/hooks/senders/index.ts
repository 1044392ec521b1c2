import { airbrake } from './alerts/airbrake.js';
import { bugsnag } from './alerts/bugsnag.js';
import { healthchecks } from './alerts/healthchecks.js';
import { librato } from './alerts/librato.js';
import { newrelic } from './alerts/newrelic.js';
import { opsgenie } from './alerts/opsgenie.js';
import { papertrail } from './alerts/papertrail.js';
import { pingdom } from './alerts/pingdom.js';
import { rollbar } from './alerts/rollbar.js';
import { splunk } from './alerts/splunk.js';
import { statuspage } from './alerts/statuspage.js';
import { uptimerobot } from './alerts/uptimerobot.js';
import { zabbix } from './alerts/zabbix.js';
import { ansibleTower } from './builds/ansible-tower.js';
import { appveyor } from './builds/appveyor.js';
import { buildbot } from './builds/buildbot.js';
import { buildkite } from './builds/buildkite.js';
import { circleci } from './builds/circleci.js';
import { heroku } from './builds/heroku.js';
import { netlify } from './builds/netlify.js';
import { semaphore } from './builds/semaphore.js';
import { sonarqube } from './builds/sonarqube.js';
import { teamcity } from './builds/teamcity.js';
import { travis } from './builds/travis.js';
import { azureDevOps } from './code/azuredevops.js';
import { beanstalk } from './code/beanstalk.js';
import { bitbucketServer } from './code/bitbucket-server.js';
import { bitbucket } from './code/bitbucket.js';
import { dockerhub } from './code/dockerhub.js';
import { gitea, gogs } from './code/gitea.js';
import { harbor } from './code/harbor.js';
import { rhodecode } from './code/rhodecode.js';
import { asana } from './work/asana.js';
import { basecamp } from './work/basecamp.js';
import { confluence } from './work/confluence.js';
import { discourse } from './work/discourse.js';
import { dropbox } from './work/dropbox.js';
import { freshdesk } from './work/freshdesk.js';
import { helloWorld } from './work/hello-world.js';
import { ifttt } from './work/ifttt.js';
import { intercom } from './work/intercom.js';
import { linear } from './work/linear.js';
import { mailgun } from './work/mailgun.js';
import { shopify } from './work/shopify.js';
import { shortcut } from './work/shortcut.js';
import { slack } from './work/slack.js';
import { trello } from './work/trello.js';
import { wordpress } from './work/wordpress.js';
import { zendesk } from './work/zendesk.js';
import type { Integration } from '../integration.js';

/** The services whose events are told by a table, each in a file of its own. */
export const SENDERS: readonly Integration[] = [
  airbrake,
  ansibleTower,
  appveyor,
  asana,
  azureDevOps,
  basecamp,
  beanstalk,
  bitbucket,
  bitbucketServer,
  bugsnag,
  buildbot,
  buildkite,
  circleci,
  confluence,
  discourse,
  dockerhub,
  dropbox,
  freshdesk,
  gitea,
  gogs,
  harbor,
  healthchecks,
  helloWorld,
  heroku,
  ifttt,
  intercom,
  librato,
  linear,
  mailgun,
  netlify,
  newrelic,
  opsgenie,
  papertrail,
  pingdom,
  rhodecode,
  rollbar,
  semaphore,
  shopify,
  shortcut,
  slack,
  sonarqube,
  splunk,
  statuspage,
  teamcity,
  travis,
  trello,
  uptimerobot,
  wordpress,
  zabbix,
  zendesk,
];
