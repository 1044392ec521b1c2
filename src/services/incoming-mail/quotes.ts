/** What people do not mean to say again: the mail they answer to, and what stands below every mail of theirs. */

/** Above a quoted mail, between dashes, in the languages of the most common programs. */
const DIVIDER =
  /^-{2,}\s*(?:Original Message|Original message|Forwarded message|Reply message|Urspr(?:ü|ue)ngliche Nachricht|Message d['’]origine|Mensaje original|Messaggio originale|Oprindelig meddelelse|Oorspronkelijk bericht|Исходное сообщение)\s*-{2,}$/i;
/** `On Monday, Hamlet wrote:` and its like: a line with a digit, for the date or time, and a colon at its end. */
const INTRODUCTION =
  /^(?:On|Am|Le|El|Il|Op|Den|Em|W dniu)\s(?=.*\d).*(?:wrote|schrieb|écrit|escribió|ha scritto|schreef|skrev|escreveu|napisał(?:\(a\))?)(?:[^:]{0,120})?\s?:$/i;
/**
 * The same in languages whose introductions begin with the date or the name, and may have no verb (Gmail in Russian and
 * Japanese): with a digit and an address in brackets, before marked lines.
 */
const ADDRESSED =
  /^(?=.*\d).*<[^<>\s]{1,200}@[^<>\s]{1,200}>[^<>:：]{0,60}(?:\d{1,2}[:.]\d{2}[^<>:：]{0,40})?[:：]$/;
/** The first line of the headers that some programs put above a quoted mail, and those that follow it. */
const FIRST_HEADER = /^(?:From|Von|De|Da|Van|Från|Fra):\s?\S/;
const NEXT_HEADER =
  /^(?:Sent|Date|To|Subject|Gesendet|Datum|An|Betreff|Envoyé|Date|À|Objet|Enviado|Para|Asunto|Inviato|A|Oggetto|Verzonden|Aan|Onderwerp):\s?/;
/** Lines over which an introduction may be wrapped. */
const WRAPPED = 3;
/** Longer lines are no introductions. */
const MAX_LINE = 400;

/**
 * A text without the mail that it answers to: what a program put below, or lines of `>` at the end. Answers between
 * the lines of a quote keep it. A text that is nothing but a quote stays as it is.
 */
export function withoutQuotes(text: string): string {
  const lines = text.split('\n');
  const end = trailingQuoteStart(lines, quoteStart(lines));
  const kept = lines.slice(0, end).join('\n').trimEnd();
  return kept === '' ? text : kept;
}

/** Where a program begins to quote; the number of lines where it does not. */
function quoteStart(lines: readonly string[]): number {
  for (let i = 0; i < lines.length; i++) {
    const line = plain(lines[i]!);
    if (line.length > MAX_LINE || line === '') continue;
    if (DIVIDER.test(line)) return i;
    if (FIRST_HEADER.test(line) && hasHeadersAfter(lines, i)) return aboveRule(lines, i);
    const wrapped = introductionLines(lines, i, INTRODUCTION);
    if (wrapped > 0 && isAllQuoted(lines, i + wrapped)) return i;
    const addressed = introductionLines(lines, i, ADDRESSED);
    // It begins with any word, so that of the lines above it only those belong to it without which it is none.
    const isLast = addressed > 0 && introductionLines(lines, i + 1, ADDRESSED) === 0;
    if (isLast && isAllMarked(lines, i + addressed)) return i;
  }
  return lines.length;
}

/** A line as it was before a program made it bold. */
function plain(line: string): string {
  return line.trim().replaceAll('*', '');
}

function hasHeadersAfter(lines: readonly string[], at: number): boolean {
  const next = lines.slice(at + 1, at + 6).filter((line) => NEXT_HEADER.test(plain(line)));
  return next.length >= 2;
}

/** Some programs draw a line above the headers. */
function aboveRule(lines: readonly string[], at: number): number {
  let above = at;
  while (above > 0 && /^(?:[_*\s-]*)$/.test(lines[above - 1]!)) above--;
  return above;
}

/** The lines that an introduction takes from here; 0 where there is none. */
function introductionLines(lines: readonly string[], at: number, form: RegExp): number {
  let text = '';
  for (let count = 1; count <= WRAPPED && at + count <= lines.length; count++) {
    text = `${text} ${plain(lines[at + count - 1]!)}`.trim();
    if (text.length > MAX_LINE) return 0;
    if (/[:：]$/.test(text)) return form.test(text) ? count : 0;
  }
  return 0;
}

/** Whether lines follow, and all of them are quoted. */
function isAllMarked(lines: readonly string[], from: number): boolean {
  const rest = lines.slice(from).filter((line) => line.trim() !== '');
  return rest.length > 0 && rest.every(isQuoted);
}

/** Whether nothing of the sender's own follows: quoted lines only, or a quote without any marks. */
function isAllQuoted(lines: readonly string[], from: number): boolean {
  const rest = lines.slice(from).filter((line) => line.trim() !== '');
  return !rest.some(isQuoted) || rest.every(isQuoted);
}

function isQuoted(line: string): boolean {
  return /^\s*>/.test(line);
}

/** Where the quoted lines begin that end a text. */
function trailingQuoteStart(lines: readonly string[], end: number): number {
  let start = end;
  while (start > 0 && (isQuoted(lines[start - 1]!) || lines[start - 1]!.trim() === '')) start--;
  return lines.slice(start, end).some(isQuoted) ? start : end;
}

/** A text without what stands below the dashes of a signature, where it has exactly one such line. */
export function withoutFooter(text: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim() === '--');
  if (at < 0 || lines.findLastIndex((line) => line.trim() === '--') !== at) return text;
  const kept = lines.slice(0, at).join('\n').trimEnd();
  return kept.trim() === '' ? text : kept;
}

/** How deep a line is quoted, and what it says. */
const MARKED = /^([ \t]*>)*[ \t]*/;

/**
 * A text whose quotes end where people end them. Markdown takes a line right behind a quote, or less deep in it, for a
 * part of the quote, unless a blank line stands between them; blocks of code stay as they are.
 */
export function withQuotesEnded(text: string): string {
  if (!text.includes('>')) return text;
  const lines: string[] = [];
  let [depth, isCode] = [0, false];
  for (const line of text.split('\n')) {
    if (/^[ \t]*(?:```|~~~)/.test(line)) isCode = !isCode;
    const marks = MARKED.exec(line)![0];
    const now = isCode ? 0 : marks.split('>').length - 1;
    if (line.length === marks.length) depth = 0;
    else {
      if (now < depth) lines.push('>'.repeat(now));
      depth = now;
    }
    lines.push(line);
  }
  return lines.join('\n');
}
