"""usage: hostile_results.py FOLDER   makes results in it that want to hurt whoever opens them, and adds them to
FOLDER/LIST: a line each, the name and how many values it has."""
import json
import os
import sys

sys.path.insert(0, "tests")
import hostile_tapes as ht

SCHEMA = '{"schema":"anvil-serving.benchmark/v1"'
MOST_VALUES = 2**23
with open("fixtures/good/plain.json") as good:
    PLAIN = json.load(good)


def with_it(rest, values):
    return SCHEMA + "," + rest + "}", values


def everywhere(value):
    """The good result with this value in the place of every text or number of its kind."""
    def put(v):
        if isinstance(v, dict):
            return {k: put(x) for k, x in v.items()}
        if isinstance(v, list):
            return [put(x) for x in v]
        return value if type(v) is type(value) or (type(v) in (int, float) and isinstance(value, (int, float))) else v
    return json.dumps({**put(PLAIN), "schema": PLAIN["schema"]}), 10000


def results():
    yield "values_too_many", *with_it('"x":[' + "0," * MOST_VALUES + "0]", MOST_VALUES)
    yield "text", *with_it('"x":"' + "a" * 2**24 + '"', 3)
    yield "escapes", *with_it('"' + "\\u001b" * 2**20 + '":"' + "\\ud83d\\ude00" * 2**20 + '"', 3)
    yield "number", *with_it('"context_seed":' + "9" * 2**22 + ',"requests":1' + "0" * 2**22, 4)
    yield "exponents", *with_it('"requests":1e999999999999,"wall_clock_ms":1e-999999999999,"failed":-0', 5)
    yield "deep", "[" * 2**24, 1
    yield "deep_enough", SCHEMA + ',"x":' + '{"a":' * 511 + "1" + "}" * 511 + "}", 600
    yield "keys", *with_it(",".join(f'"k{n}":0' for n in range(2**18)), 2**18)
    yield "key_twice", *with_it(",".join(f'"k{n % (2**17)}":0' for n in range(2**18)), 2**18)
    yield "rows", *with_it('"request_timings":[' + "{}," * 2**17 + "{}]", 2**17)
    yield "rows_good", json.dumps({**PLAIN, "request_timings": PLAIN["request_timings"] * 1000}), 2**20
    yield "failures", json.dumps({**PLAIN, "failures": [{"error_type": ht.EVIL, "request_index": 2**64}] * 20000}), 2**17
    yield "evil", *everywhere(ht.EVIL)
    yield "nul", *everywhere("a\0b")
    yield "empty_texts", *everywhere("")
    for value in (0, -1, 2**63, 2**64, 1e308, 5e-324, -1e308):
        yield f"numbers_{value}", *everywhere(value)
    yield "bools", *everywhere(True)
    yield "evil_keys", json.dumps({**PLAIN, **{ht.EVIL + str(n): {ht.EVIL: ht.EVIL} for n in range(1000)}}), 20000
    yield "nan", *with_it('"requests":NaN', 2)
    yield "half_a_pair", *with_it('"model":"\\ud800","base_url":"\\udc00\\ud800"', 4)
    yield "half", json.dumps(PLAIN)[:30000], 10000
    yield "nothing", "", 1
    yield "spaces", " " * 2**24, 1
    yield "two", json.dumps(PLAIN) * 2, 20000


if __name__ == "__main__":
    with open(os.path.join(sys.argv[1], "LIST"), "a") as names:
        for name, text, values in results():
            with open(os.path.join(sys.argv[1], name + ".json"), "w") as f:
                f.write(text)
            print(name + ".json", values, file=names)
        with open(os.path.join(sys.argv[1], "bad_utf8.json"), "wb") as f:
            f.write(SCHEMA.encode() + b',"model":"\xff\xc0\x80\xed\xa0\x80\x9b31m"}')
        print("bad_utf8.json", 2, file=names)
