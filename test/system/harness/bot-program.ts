import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import type { ApiClient, Body } from './client.js';

/** A program that answers what it is asked, as people run them; asked for nothing, it does not answer. */
export class Program {
  readonly asked: Body[] = [];
  answers = true;
  /** Called when something was asked. */
  heard: () => void = () => undefined;

  private constructor(readonly url: string) {}

  static async start(t: Test): Promise<Program> {
    const server = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', () => {
        const body = JSON.parse(text) as Body;
        program.asked.push(body);
        program.heard();
        if (program.answers)
          response.end(JSON.stringify({ content: `echo: ${String(body.data)}` }));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const program = new Program(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return program;
  }
}

/** A bot of a client whose messages go to a program; its id. */
export const botFor = async (owner: ApiClient, payload_url: string): Promise<number> => {
  const bot = { full_name: 'Echo', short_name: 'echo', bot_type: 3, payload_url };
  return Number((await owner.ok('POST', '/bots', bot)).user_id);
};
