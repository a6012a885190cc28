"""Made-up terminal output: the same bytes each time."""

import os
import random

COLS, ROWS = 120, 40
SEED = 42

WORDS = (
    "lorem ipsum dolor sit amet error: warning src/main.rs fn let 0x7fff compile Finished in 12.3s kernel "
    "[ok] GET /index.html 200"
).split()


def ascii_line(rnd):
    line = " ".join(rnd.choice(WORDS) for _ in range(rnd.randint(3, 16)))
    return line.encode()[:116] + b"\n"


def sgr_line(rnd):
    line = ""
    for _ in range(rnd.randint(3, 12)):
        byte = lambda: rnd.randint(0, 255)
        style = rnd.choice(
            [
                "\x1b[1;3%dm" % rnd.randint(0, 7),
                "\x1b[38;5;%dm" % byte(),
                "\x1b[38;2;%d;%d;%dm" % (byte(), byte(), byte()),
                "\x1b[48;5;%dm" % byte(),
                "\x1b[4m",
                "\x1b[7m",
            ]
        )
        line += style + rnd.choice(WORDS) + "\x1b[0m "
    return line.encode() + b"\n"


ALPHABETS = [
    "你好世界终端会话持久性能测试漢字",
    "こんにちはターミナル",
    "안녕하세요세계",
    "éàüöñçßøåλπΩжяшю",
    "😀🚀🎉🔥👍🏽👩‍💻🇩🇪❤️",
    "─│┌┐└┘├┤┬┴┼═║╔╗╚╝█▓▒░",
    "abcdefghij 0123456789 ",
]


def unicode_line(rnd):
    alphabets = [rnd.choice(ALPHABETS) for _ in range(rnd.randint(3, 8))]
    line = "".join(rnd.choice(letters) for letters in alphabets for _ in range(rnd.randint(2, 10)))
    return line[:58].encode() + b"\n"


def tui_frame(rnd, frame):
    """A full-screen redraw: each row addressed, erased and coloured, in a synchronized update."""
    out = b"\x1b[?2026h\x1b[?25l\x1b[H"
    for row in range(1, ROWS - 2):
        out += b"\x1b[%d;1H\x1b[2K\x1b[38;5;%dm" % (row, 16 + (row + frame) % 200)
        if row in (1, ROWS - 3):
            out += ("╭" + "─" * 100 + "╮").encode()
        else:
            text = ("%5d " % (frame * 37 + row) + " ".join(rnd.choice(WORDS) for _ in range(9)))[:90]
            out += "│\x1b[1m".encode() + text[:20].encode() + b"\x1b[22m\x1b[39m" + text[20:].encode()
            out += b"\x1b[%d;102H" % row + "│".encode()
    return out + b"\x1b[%d;%dH\x1b[?25h\x1b[?2026l" % (ROWS - 4, 5 + frame % 60)


def dense_frame(_, frame):
    """A full screen in which every cell has colours and attributes of its own, as vtebench's dense_cells."""
    out = b"\x1b[H"
    letter = chr(65 + frame % 26)
    for row in range(1, ROWS - 2):
        for col in range(1, COLS - 3):
            hue = (row + col + frame) % 156
            out += ("\x1b[38;5;%d;48;5;%d;1;3;4m%s" % (hue + 100, 255 - hue, letter)).encode()
        out += b"\r\n"
    return out


LINES = {"ascii": ascii_line, "sgr": sgr_line, "unicode": unicode_line}
FRAMES = {"tui": tui_frame, "dense": dense_frame}
STREAMS = [*LINES, *FRAMES]


def make(kind, size_bytes):
    """About so many bytes of a stream; they may be repeated."""
    rnd = random.Random(SEED)
    out = bytearray()
    frame = 0
    while len(out) < size_bytes:
        out += LINES[kind](rnd) if kind in LINES else FRAMES[kind](rnd, frame)
        frame += 1
    return out + b"\x1b[0m" if kind == "dense" else out


def write(kind, size_bytes, path):
    """Makes the file of a stream; it is there as a whole or not at all."""
    with open(path + ".tmp", "wb") as file:
        file.write(make(kind, size_bytes))
    os.rename(path + ".tmp", path)
