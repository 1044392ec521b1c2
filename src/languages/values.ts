/* What each message is given; made of the English catalogs by scripts/languages.js. */

type NoValues = Record<never, never>;

/** By area and id, for messages that are given something. */
export interface Values {
  chat: NoValues;
  console: NoValues;
  mails: {
    'test.subject': { organization: string | number };
    'test.body': { organization: string | number; url: string | number };
  };
  notices: NoValues;
  pages: NoValues;
  shared: NoValues;
}
