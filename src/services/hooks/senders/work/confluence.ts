import { sender } from '../../sender.js';

const WHO = "{userDisplayName|page.lastModifierDisplayName|comment.creatorDisplayName|'Somebody'}";
const PAGE = '[{page.title|blog.title|blogpost.title}](page.self|blog.self|blogpost.self)';
const SPACE = "{page.spaceName|blog.spaceName|comment.spaceName|space.title|'Confluence'}";

export const confluence = sender({
  name: 'confluence',
  displayName: 'Confluence',
  docs: 'https://developer.atlassian.com/cloud/confluence/modules/webhook/',
  event: '{eventType|webhookEvent|event}',
  topic: SPACE,
  events: {
    'page_created, blog_created': `${WHO} created ${PAGE}.`,
    'page_updated, blog_updated': `${WHO} changed ${PAGE}.`,
    'page_removed, page_trashed, blog_removed, blog_trashed': `${WHO} removed ${PAGE}.`,
    'page_restored, blog_restored': `${WHO} restored ${PAGE}.`,
    comment_created: `${WHO} [commented](comment.self) on {comment.parent.title:bold}.`,
  },
  quiet: [
    'comment_updated',
    'comment_removed',
    'label_*',
    'attachment_*',
    'user_*',
    'page_children_reordered',
  ],
});
