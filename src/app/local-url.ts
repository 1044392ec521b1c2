/** Where a server is reached on its machine, for operators. */
export function localUrl(host: string, port: number): string {
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}
