import type { SimProcess } from '../node/process.js';
import type { End, Network } from '../world/network.js';
import type { Random } from '../world/random.js';

/** Where a service listens, whatever it is. */
export const SERVICE_PORT = 1;

/** What a process asks of a service: the network carries it as one. */
export interface ServiceRequest {
  readonly sender: SimProcess;
  /** The path of a request by HTTP; of a mail, nothing. */
  readonly path: string;
  readonly body: string;
}

export interface ServiceReply {
  readonly status: number;
  readonly body: string;
  /** The sender calls it once it has the reply. */
  readonly received: () => void;
}

/** How a service is at the moment. */
export type Mood =
  /** Takes everything. */
  | 'well'
  /** Takes nothing, for a while. */
  | 'refuses'
  /** Takes nothing, and says that trying again is useless. */
  | 'rejects'
  /** Does nothing until it is well again. */
  | 'stalls'
  /** Takes what it is given, and its connection breaks before it says so. */
  | 'loses-replies';

/** What became of a request. */
export type Fate = 'taken' | 'refused' | 'rejected';

/** What a service does with requests, whatever carries them. */
export interface Service {
  readonly name: string;
  /** A request arrived, which becomes of it what the mood says. */
  answer(request: ServiceRequest, fate: Fate): ServiceReply;
}

/** What a service takes to answer, milliseconds. */
const ANSWER_MS = { least: 0.5, most: 30 };

/** A machine of somebody else, which takes what leaves the server. */
export class ServiceHost {
  #mood: Mood = 'well';
  /** What arrived while it stood still. */
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly network: Network,
    private readonly random: Random,
    private readonly service: Service,
  ) {
    network.listen(service.name, SERVICE_PORT, (end) => this.accept(end));
  }

  get name(): string {
    return this.service.name;
  }

  get mood(): Mood {
    return this.#mood;
  }

  set mood(mood: Mood) {
    this.#mood = mood;
    if (mood !== 'stalls') for (const work of this.#waiting.splice(0)) work();
  }

  private accept(end: End): void {
    end.onData = (payload) => {
      const { least, most } = ANSWER_MS;
      const ms = this.random.between(least, most);
      this.network.scheduler.in(ms, () => this.take(end, payload as ServiceRequest));
    };
    end.onClose = () => undefined;
  }

  private take(end: End, request: ServiceRequest): void {
    const { service, mood } = this;
    if (mood === 'stalls') {
      this.#waiting.push(() => this.take(end, request));
      return;
    }
    const fate = mood === 'refuses' ? 'refused' : mood === 'rejects' ? 'rejected' : 'taken';
    const reply = service.answer(request, fate);
    if (mood === 'loses-replies') end.close('reset');
    else end.send(reply);
  }
}
