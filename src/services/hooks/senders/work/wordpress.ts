import { sender } from '../../sender.js';

/** Forms of the plugin HookPress, with the fields that its user chose. */
export const wordpress = sender({
  name: 'wordpress',
  displayName: 'WordPress',
  docs: 'https://wordpress.org/plugins/hookpress/',
  event: '{hook}',
  topic: "{topic|'WordPress'}",
  events: {
    'publish_post, publish_page':
      "New {post_type|'post'}: [{post_title|'without a title'}](post_url).",
    user_register: 'New user {display_name:bold}<< ({user_email})>>.',
    wp_login: 'User {user_login:bold} logged in.',
    comment_post: "New comment on {post_title|'a post':bold}:<<{comment_content:quote}>>",
  },
});
