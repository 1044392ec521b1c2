import type { Address, RequestAccount, RequestPlan } from '../exchange/jobs.js';
import { markDigits, settingValue } from '../exchange/sample.js';
import { publishPacket } from './mqtt.js';

/** A pattern cut at its places: texts and names alternate. */
function cut(pattern: string): string[] {
  return pattern.split(/\{(\w+)\}/);
}

/** Writes the requests of a plan. */
export class RequestWriter {
  private readonly path: string[];
  private readonly body: string[] | null;
  private readonly captured: number[];

  constructor(
    private readonly server: Address,
    private readonly plan: RequestPlan,
  ) {
    this.path = cut(plan.path);
    this.body = plan.body === null ? null : cut(plan.body);
    this.captured = plan.accounts.map(() => plan.capture?.initial ?? 0);
  }

  /** The request of number `n`, head and body. */
  write(n: number): string {
    const { method, accounts, contentType } = this.plan;
    const account = accounts[n % accounts.length]!;
    if (method === 'PUBLISH') {
      return publishPacket(
        this.fill(this.path, n, account),
        this.fill(this.body ?? [''], n, account),
      );
    }
    const authorization =
      account.authorization === '' ? '' : `Authorization: ${account.authorization}\r\n`;
    const head =
      `${method} ${this.fill(this.path, n, account)} HTTP/1.1\r\nHost: ${this.server.host}\r\n` +
      `${authorization}User-Agent: parley-bench\r\n`;
    if (this.body === null) return `${head}\r\n`;
    const body = this.fill(this.body, n, account);
    return (
      `${head}Content-Type: ${contentType ?? 'application/x-www-form-urlencoded'}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`
    );
  }

  /** Takes what the plan captures out of the reply to request `n`. */
  answered(n: number, body: Buffer): void {
    const { capture, accounts } = this.plan;
    if (!capture) return;
    const at = body.indexOf(capture.after);
    if (at < 0) return;
    const from = at + capture.after.length;
    const account = capture.shared ? 0 : n % accounts.length;
    this.captured[account] = Number.parseInt(body.toString('latin1', from, from + 16), 10);
  }

  private fill(parts: readonly string[], n: number, account: RequestAccount): string {
    let text = parts[0]!;
    for (let i = 1; i < parts.length; i += 2) {
      text += this.value(parts[i]!, n, account) + parts[i + 1]!;
    }
    return text;
  }

  private value(name: string, n: number, account: RequestAccount): string {
    const { accounts, capture } = this.plan;
    const { length } = accounts;
    switch (name) {
      case 'n':
        return String(n);
      case 'mark':
        return markDigits(n);
      case 'value':
        return String(settingValue(Math.floor(n / length)));
      case 'captured':
        return String(this.captured[capture?.shared ? 0 : n % length]);
      default:
        return account.fields?.[name] ?? '';
    }
  }
}
