"""usage: asyncio_client.py URL STREAMS — what most benchmark clients do: aiohttp, a line split, a stamp and
json.loads for each chunk. Prints what errors.c prints (CLOCK_MONOTONIC against the mock's stamps) and its own usage."""
import array
import asyncio
import json
import resource
import sys
import time

import aiohttp

late = array.array("q")
reads = failed = total = 0


async def stream(session, url):
    global reads, failed, total
    body = {"model": "mock", "stream": True, "messages": []}
    try:
        async with session.post(url, json=body) as answer:
            rest = b""
            async for chunk in answer.content.iter_any():
                now = time.monotonic_ns()
                reads += 1
                total += len(chunk)
                *events, rest = (rest + chunk).split(b"\n\n")
                for event in events:
                    text = event.removeprefix(b"data: ")
                    if text != b"[DONE]":
                        stamp = json.loads(text).get("mock_ns")
                        if stamp:
                            late.append(now - int(stamp))
    except (aiohttp.ClientError, OSError):
        failed += 1


async def main(url, streams):
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=60)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        await asyncio.gather(*(stream(session, url) for _ in range(streams)))


soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
began = time.monotonic()
asyncio.run(main(sys.argv[1], int(sys.argv[2])))
wall_s = time.monotonic() - began
use = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"bytes": total, "reads": reads, "failed": failed, "wall_s": wall_s, "cpu_s": use.ru_utime + use.ru_stime,
                  "rss_kb": use.ru_maxrss}))
ranked = sorted(late)


def rank(per_mille):
    return ranked[(len(ranked) * per_mille + 999) // 1000 - 1] / 1e3 if ranked else None


print(json.dumps({"events": len(ranked), "p50_us": rank(500), "p99_us": rank(990), "p999_us": rank(999),
                  "max_us": rank(1000)}))
sys.exit(failed > 0)
