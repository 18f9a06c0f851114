"""200 clients at once, from a second process: each is answered."""

from __future__ import annotations

import json
import subprocess
import sys

CLIENTS = 200
CROWD = """
import asyncio, json, sys

port, clients = int(sys.argv[1]), int(sys.argv[2])
PATHS = ("/decide", "/explore", "/api/explore?n={n}&policies=erm,knn:5&quick=1", "/api/jobs/none",
         "/api/explore?n=-{n}", "/api/paper")

async def client(number):
    statuses = []
    for turn in range(3):
        kind = (number + turn) % len(PATHS)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        path = PATHS[kind].format(n=5 + number % 20)
        writer.write(f"GET {path} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\nConnection: close\\r\\n\\r\\n".encode())
        answer = await reader.read()
        writer.close()
        statuses.append((kind, int(answer.split(b" ", 2)[1])))
    return statuses

async def crowd():
    found = await asyncio.gather(*map(client, range(clients)))
    print(json.dumps([one for some in found for one in some]))

asyncio.run(crowd())
"""


def test_a_crowd_is_answered(server):
    arguments = [sys.executable, "-c", CROWD, str(server.port), str(CLIENTS)]
    found = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stderr
    answers = json.loads(found.stdout)
    assert len(answers) == 3 * CLIENTS
    assert set(map(tuple, answers)) == {(0, 200), (1, 200), (2, 200), (3, 404), (4, 400), (5, 200)}
    assert server.get("/decide").status == 200
