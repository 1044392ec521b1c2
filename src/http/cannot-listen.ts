/** The refusal of an address to listen on. */
export function cannotListen(host: string, port: number): Error {
  return new Error(
    `Cannot listen on ${host}:${port}: is the port in use, or the address not one of this machine?`,
  );
}
