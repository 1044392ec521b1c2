/** Variables of the environment that are meant for this server, and are none of its options. */
import { nearName } from './file.js';
import { OPTIONS } from './options.js';
import { fileVariable, type Environment } from './values.js';

const PREFIX = 'PARLEY_';
/** Variables of the server's own processes, of its tests and of the bench. */
const INTERNAL = /^PARLEY_(?:WORKER$|LOOP_WATCH$|TEST_|BENCH_)/;
/** Kubernetes tells every container of a namespace about each service in it, such as one named parley-redis. */
const OF_KUBERNETES = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_|$)/;
const ADDRESS_OF_KUBERNETES = /^(?:tcp|udp|sctp):\/\//;

const KNOWN: ReadonlySet<string> = new Set(
  OPTIONS.flatMap(({ variable, secret }) =>
    secret ? [variable, fileVariable(variable)] : [variable],
  ),
);

/** A sentence for each variable that names no option, or that somebody else has set. */
export function variableFaults(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith(PREFIX) || value === undefined) return [];
    if (ADDRESS_OF_KUBERNETES.test(value)) {
      if (!KNOWN.has(name)) return [];
      return [
        `${name}: ${value} comes from Kubernetes, for a service of this name: set enableServiceLinks: false for the pod`,
      ];
    }
    if (KNOWN.has(name) || INTERNAL.test(name) || OF_KUBERNETES.test(name)) return [];
    const near = nearName(name, KNOWN);
    return [`There is no variable ${name}${near === null ? '' : `. Did you mean ${near}?`}`];
  });
}
