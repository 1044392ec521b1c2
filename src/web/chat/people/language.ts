import { languageFor } from '../../../languages/languages.js';
import { language } from '../../shared/texts.js';

/** Pause before it is looked again whether anything would be lost. Milliseconds. */
const AGAIN_MS = 500;

/** What is being written and shown, as the model of the chat has it. */
interface Shown {
  readonly settings: { readonly default_language?: string };
  readonly state: { readonly connected: boolean };
  readonly outbox: { readonly isEmpty: boolean };
  readonly drafts: { keep(): Promise<boolean> };
}

let isWaiting = false;

/** Loads the page in the language that its user has chosen, as soon as nothing that is being written is lost by it. */
export async function followLanguage(model: Shown): Promise<void> {
  if (isWaiting) return;
  isWaiting = true;
  while (languageFor(model.settings.default_language ?? '') !== language) {
    const isQuiet = model.state.connected && model.outbox.isEmpty && !isWriting();
    if (isQuiet && (await model.drafts.keep())) return location.reload();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  isWaiting = false;
}

/** Whether there is text that nobody keeps; what is written to a conversation is a draft. */
function isWriting(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>(
    ':is(input, textarea):not(#compose, [readonly], [type=checkbox], [type=radio], [type=file], [type=hidden])',
  );
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue);
}
