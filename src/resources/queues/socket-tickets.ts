import { createTicket } from '../../../schemas/queues/socket.js';
import { serviceUnavailable } from '../../errors/index.js';
import { sessionOf, type Session } from '../kernel/route.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Life of a ticket, seconds (socket.md). */
const TICKET_SECONDS = 30;
/** Maximal number of unused tickets that have not expired; above it requests are refused. */
const MAX_TICKETS = 100_000;

interface Ticket {
  readonly session: Session;
  /** Hash of the password that its user had. */
  readonly password: string | null;
  readonly expiresAt: number;
}

/**
 * One-time tickets for opening a socket. Kept in memory only, because they live shorter than a restart
 * takes. A ticket stands for the session that requested it, and ends with it and with the password of its user.
 */
export class SocketTickets {
  /** In order of expiry, because all tickets live equally long. */
  private readonly tickets = new Map<string, Ticket>();

  constructor(
    private readonly now: () => number,
    private readonly newToken: () => string,
    /** Hash of the password that a user has now. */
    private readonly passwordOf: (userId: number) => string | null = () => null,
  ) {}

  /** @throws ApiError 503 when too many tickets wait to be used */
  issue(session: Session): { ticket: string; expires_in: number } {
    this.dropExpired();
    if (this.tickets.size >= MAX_TICKETS) throw serviceUnavailable('Too many tickets are waiting');
    const ticket = this.newToken();
    const [password, expiresAt] = [
      this.passwordOf(session.userId),
      this.now() + TICKET_SECONDS * 1000,
    ];
    this.tickets.set(ticket, { session, password, expiresAt });
    return { ticket, expires_in: TICKET_SECONDS };
  }

  /**
   * The ticket's session, once; undefined for a ticket that is unknown, used or expired, or older than its user's
   * password.
   */
  redeem(ticket: string): Session | undefined {
    const found = this.tickets.get(ticket);
    this.tickets.delete(ticket);
    if (!found || found.expiresAt <= this.now()) return undefined;
    const { session, password } = found;
    return this.passwordOf(session.userId) === password ? session : undefined;
  }

  private dropExpired(): void {
    const now = this.now();
    for (const [ticket, { expiresAt }] of this.tickets) {
      if (expiresAt > now) return;
      this.tickets.delete(ticket);
    }
  }
}

/** `POST /events/ticket`. */
export function socketTicketHandlers(tickets: SocketTickets): AnyHandler[] {
  return [handle(createTicket, (_tx, { user }) => tickets.issue(sessionOf(user)))];
}
