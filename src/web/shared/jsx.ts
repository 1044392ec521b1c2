/* What JSX becomes in the bundles of pages (`scripts/bundle.js`). */
export { Fragment, h } from 'preact';
