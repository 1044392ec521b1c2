import { sender } from '../../sender.js';

export const dockerhub = sender({
  name: 'dockerhub',
  displayName: 'Docker Hub',
  docs: 'https://docs.docker.com/docker-hub/repos/manage/webhooks/',
  event: '{push_data.tag:=push}',
  topic: '{repository.repo_name}',
  events: {
    push: '{push_data.pusher} pushed the image [{repository.repo_name}:{push_data.tag}](repository.repo_url).',
  },
});
