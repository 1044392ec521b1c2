/**
 * Cards that programs send, as Markdown: Adaptive Cards, and the hero, thumbnail, list and connector cards of before. Each
 * is a tree whose texts are read in their order; how it looks is left out.
 */
import { markdownLinkAround } from '../../../languages/markdown-link.js';
import type { JsonRow } from '../json-rows.js';
import { listIn, text } from '../rooms/row-values.js';

/** Levels that are read, and lines that are kept: a message has 10,000 characters. */
const MAX_DEPTH = 30;
const MAX_LINES = 500;

/** Lists of further parts, by the names that all the kinds of cards have for them. */
const PARTS = [
  ...['sections', 'body', 'items', 'columns', 'cells', 'rows', 'facts', 'inlines', 'images'],
  ...['buttons', 'actions', 'potentialAction'],
];

/** A card as lines; empty where it says nothing. */
export function cardText(card: JsonRow): string {
  const lines: string[] = [];
  read(card, lines, 0);
  return lines.slice(0, MAX_LINES).join('\n');
}

function read(node: JsonRow, lines: string[], depth: number): void {
  if (depth > MAX_DEPTH || lines.length > MAX_LINES) return;
  const said = ownLines(node);
  lines.push(...said.filter((line) => line.trim() !== ''));
  for (const name of PARTS) {
    for (const one of listIn(node, name)) read(one, lines, depth + 1);
  }
  const images = [node['image']].filter((one) => typeof one === 'object' && one !== null);
  for (const one of listIn({ images }, 'images')) read(one, lines, depth + 1);
}

function ownLines(node: JsonRow): string[] {
  const title = text(node, 'title') || text(node, 'activityTitle');
  const value = text(node, 'value');
  // A fact; connectors call its title a name.
  const name = title || text(node, 'name');
  const type = text(node, 'type') || text(node, '@type');
  const address = addressIn(node, value);
  if (type === 'Image' || (type === '' && text(node, 'url') !== '' && name === '')) {
    return [
      markdownLinkAround(text(node, 'alt') || text(node, 'altText') || 'image', text(node, 'url')),
    ];
  }
  if (address !== '') return [markdownLinkAround(name || address, address)];
  if (name !== '' && value !== '') return [`**${name}**: ${value}`];
  // A button that sends something back to the program says what nobody can press here.
  if (/^(Action\.|HttpPOST|invoke|imBack|messageBack)/.test(type)) return [];
  return [
    name === '' ? '' : `**${name}**`,
    ...['subtitle', 'activitySubtitle', 'text', 'activityText'].map((one) => text(node, one)),
  ];
}

/** Where a button leads; empty for anything else. */
function addressIn(node: JsonRow, value: string): string {
  const targets = listIn(node, 'targets').map((one) => text(one, 'uri'));
  const type = text(node, 'type');
  if (type === 'Action.OpenUrl') return text(node, 'url');
  if (type === 'openUrl') return value;
  return targets.find((one) => one !== '') ?? '';
}
