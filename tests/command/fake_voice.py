#!/usr/bin/python3
"""A synthesizer for tests. It writes a WAV file: a tone of 200 ms for each word, with 100 ms of silence
before and after. The header contains the placeholder length of programs that cannot seek in their
output. The first argument is the synthesis time in ms."""
import array
import struct
import sys
import time

RATE = 8000
MS_PER_WORD = 200
SILENCE_MS = 100

words = len(sys.stdin.read().split())
time.sleep(int(sys.argv[1]) / 1000 if len(sys.argv) > 1 else 0)
silence = array.array("h", [0] * (RATE * SILENCE_MS // 1000))
tone = array.array("h", [9000, 9000, -9000, -9000] * (RATE * MS_PER_WORD * words // 4000))
samples = (silence + tone + silence).tobytes()
header = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 0xFFFFFFFF, b"WAVE", b"fmt ", 16, 1, 1, RATE,
                     2 * RATE, 2, 16, b"data", 0xFFFFFFFF)
sys.stdout.buffer.write(header + samples)
