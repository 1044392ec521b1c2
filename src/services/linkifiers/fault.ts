/** The fields of a linkifier, as parameters name them. */
export type LinkifierField =
  | 'pattern'
  | 'url_template'
  | 'example_input'
  | 'reverse_template'
  | 'alternative_url_templates';

/** What is wrong with a linkifier somebody wrote; null where several fields contradict each other. */
export class LinkifierFault extends Error {
  constructor(
    readonly field: LinkifierField | null,
    message: string,
  ) {
    super(message);
    this.name = 'LinkifierFault';
  }
}
