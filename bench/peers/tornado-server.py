"""Peer: a bare Tornado long-poll server. Events go to held polls as they come; no authentication."""

import asyncio
import json

import tornado.httpserver
import tornado.netutil
import tornado.web

KEPT = 256


class Hub:
    def __init__(self):
        self.waiting = set()
        self.recent = []
        self.newest = 0

    def publish(self, text):
        self.newest += 1
        event = json.loads(text)
        event["id"] = self.newest
        self.recent.append(event)
        del self.recent[:-KEPT]
        waiting, self.waiting = self.waiting, set()
        for handler in waiting:
            handler.answer([event])


hub = Hub()


class Events(tornado.web.RequestHandler):
    async def get(self):
        cursor = int(self.get_argument("last_event_id"))
        missed = [e for e in hub.recent if e["id"] > cursor] if cursor < hub.newest else []
        if missed or self.get_argument("dont_block", "false") == "true":
            self.answer(missed, finish=False)
            return
        self.done = asyncio.get_running_loop().create_future()
        hub.waiting.add(self)
        await self.done

    def answer(self, events, finish=True):
        self.write(
            {
                "result": "success",
                "msg": "",
                "events": events,
                "queue_id": self.get_argument("queue_id"),
            }
        )
        if finish and not self.done.done():
            self.done.set_result(None)

    def on_connection_close(self):
        hub.waiting.discard(self)
        if hasattr(self, "done") and not self.done.done():
            self.done.set_result(None)


class Publish(tornado.web.RequestHandler):
    def post(self):
        hub.publish(self.request.body.decode())
        self.write({})


async def main():
    app = tornado.web.Application(
        [(r"/api/v1/events", Events), (r"/publish", Publish)], log_function=lambda handler: None
    )
    server = tornado.httpserver.HTTPServer(app)
    sockets = tornado.netutil.bind_sockets(0, "127.0.0.1", backlog=4096)
    server.add_sockets(sockets)
    print(f"listening on http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
