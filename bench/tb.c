/* tb: the small helper of termbench.py. Children that print, echo or wait, and the client that watches them.
 *
 *   tb emit --file F --bytes N --secs T --gate FIFO --stamp OUT --marker M [--screen]
 *   tb echo --stamp OUT
 *   tb idle --stamp OUT
 *   tb attach --cols C --rows R [--arm TEXT]... -- CMD...    a client program in a PTY
 *   tb abattach --cols C --rows R --sock PATH                a viewer on an abide host's socket
 *
 * The last two are driven by lines on standard input and answer in lines on standard output.
 * termbench.py builds this by itself: cc -O2 -o tb tb.c -lutil
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char *what) {
  perror(what);
  exit(2);
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise) {
  for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], name) && i + 1 < argc)
      return argv[i + 1];
  return otherwise;
}

static int is_set(int argc, char **argv, const char *name) {
  for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], name))
      return 1;
  return 0;
}

static char **command(int argc, char **argv) {
  for (int i = 2; i < argc; i++)
    if (!strcmp(argv[i], "--"))
      return argv + i + 1;
  return NULL;
}

static int write_all(int fd, const void *bytes, size_t left) {
  const char *at = bytes;
  while (left) {
    ssize_t wrote = write(fd, at, left);
    if (wrote >= 0) {
      at += wrote;
      left -= wrote;
    } else if (errno == EAGAIN) {
      struct pollfd room = {fd, POLLOUT, 0};
      poll(&room, 1, 1000);
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

/* ---- Children ---- */

/* Appends a line to the child's file of stamps: what happened, when, and a number. */
static void stamp(const char *file, const char *what, int64_t at, long long number) {
  char line[128];
  int length = snprintf(line, sizeof line, "%s %lld %lld\n", what, (long long)at, number);
  int fd = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (fd < 0)
    return;
  write_all(fd, line, length);
  close(fd);
}

enum keys { UNECHOED, RAW };

static void set_terminal(enum keys keys) {
  struct termios t;
  if (tcgetattr(0, &t))
    return;
  if (keys == RAW) {
    cfmakeraw(&t);
  } else {
    t.c_lflag &= ~(ECHO | ICANON);
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
  }
  tcsetattr(0, TCSANOW, &t);
}

static void wait_for_hangup(void) {
  char keys[4096];
  for (;;) {
    ssize_t got = read(0, keys, sizeof keys);
    if (got == 0 || (got < 0 && errno != EINTR))
      exit(0);
  }
}

static void wait_at_gate(const char *gate) {
  int fd = open(gate, O_RDONLY);
  char go;
  if (fd < 0 || read(fd, &go, 1) < 0)
    die("gate");
  close(fd);
}

/* Prints the file again and again, until there were enough bytes or it took too long. */
static long long print_file(const char *file, long long bytes, int64_t deadline_ns) {
  enum { CHUNK = 65536, CHUNKS_BETWEEN_LOOKS = 4 };
  int fd = open(file, O_RDONLY);
  struct stat found;
  if (fd < 0 || fstat(fd, &found))
    die("file");
  char *payload = mmap(NULL, found.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
  if (payload == MAP_FAILED)
    die("mmap");
  long long printed = 0;
  size_t at = 0;
  for (int chunk = 1; printed < bytes; chunk++) {
    size_t length = CHUNK;
    if (length > (size_t)found.st_size - at)
      length = found.st_size - at;
    if ((long long)length > bytes - printed)
      length = bytes - printed;
    if (write_all(1, payload + at, length))
      exit(3);
    printed += length;
    at = (at + length) % found.st_size;
    if (chunk % CHUNKS_BETWEEN_LOOKS == 0 && now_ns() > deadline_ns)
      break;
  }
  return printed;
}

/* A full screen with a known text in its first and last row. */
static int full_screen(char *out, int room) {
  struct winsize size = {24, 80, 0, 0};
  ioctl(1, TIOCGWINSZ, &size);
  if (size.ws_row < 3)
    size.ws_row = 24;
  if (size.ws_col < 20)
    size.ws_col = 80;
  int width = size.ws_col - 2 > 400 ? 400 : size.ws_col - 2;
  int length = 0;
  for (int row = 1; row <= size.ws_row && length + width + 32 < room; row++) {
    length += snprintf(out + length, room - length, "\033[%d;1H", row);
    for (int col = 0; col < width; col++)
      out[length + col] = 'a' + (col * 7 + row * 3) % 26;
    if (row == 1)
      memcpy(out + length, "@@TOPROW@@", 10);
    if (row == size.ws_row)
      memcpy(out + length, "@@BOTROW@@", 10);
    length += width;
  }
  return length + snprintf(out + length, room - length, "\033[2;1H");
}

static int emit(int argc, char **argv) {
  int64_t started_at = now_ns();
  const char *file = option(argc, argv, "--file", NULL);
  const char *gate = option(argc, argv, "--gate", NULL);
  const char *stamps = option(argc, argv, "--stamp", NULL);
  long long bytes = atoll(option(argc, argv, "--bytes", "1000000"));
  double secs = atof(option(argc, argv, "--secs", "10"));

  set_terminal(UNECHOED);
  stamp(stamps, "start", started_at, 0);
  if (gate)
    wait_at_gate(gate);
  int64_t go_at = now_ns();
  stamp(stamps, "go", go_at, 0);
  long long printed = file && bytes > 0 ? print_file(file, bytes, go_at + (int64_t)(secs * 1e9)) : 0;
  int64_t done_at = now_ns();

  /* Makes the end readable after any stream. */
  char end[65536];
  int length = snprintf(end, sizeof end, "\x18\033[0m\033[?2026l\033[r\033[?1049l\033[2J\033[H");
  if (is_set(argc, argv, "--screen"))
    length += full_screen(end + length, sizeof end - length);
  else
    length +=
        snprintf(end + length, sizeof end - length, "%s\r\n", option(argc, argv, "--marker", "@@END@@"));
  write_all(1, end, length);
  stamp(stamps, "done", done_at, printed);
  stamp(stamps, "end", now_ns(), 0);
  wait_for_hangup();
  return 0;
}

static int echo(int argc, char **argv) {
  int64_t started_at = now_ns();
  set_terminal(RAW);
  stamp(option(argc, argv, "--stamp", NULL), "start", started_at, 0);
  const char *ready = "\033[2J\033[H@@READY@@\r\n";
  write_all(1, ready, strlen(ready));
  char keys[4096];
  for (;;) {
    ssize_t got = read(0, keys, sizeof keys);
    if (got == 0 || (got < 0 && errno != EINTR))
      return 0;
    if (got > 0)
      write_all(1, keys, got);
  }
}

static int idle(int argc, char **argv) {
  stamp(option(argc, argv, "--stamp", NULL), "start", now_ns(), 0);
  const char *ready = "@@READY@@\r\n";
  write_all(1, ready, strlen(ready));
  set_terminal(UNECHOED);
  wait_for_hangup();
  return 0;
}

/* ---- The link to a session: a client program's PTY, or a host's socket with frames on it ---- */

enum { READ_BYTES = 1 << 18, CARRY_BYTES = 64 };

static struct {
  int fd;
  int framed;
  int dead;
  long long total;
  long long reads;
  int64_t first_byte_at;
  char bytes[CARRY_BYTES + READ_BYTES];
} session;

/* abide's frames: a type, a length of four bytes, a payload; see crates/protocol. */
enum { FRAME_HEADER = 5, SNAPSHOT = 0x01, OUTPUT = 0x02, INPUT = 0x10, ATTACH = 0x13 };

static int send_frame(int type, const char *payload, size_t length) {
  char frame[FRAME_HEADER + 4096] = {type, length & 255, length >> 8 & 255, 0, 0};
  if (length > sizeof frame - FRAME_HEADER)
    return -1;
  memcpy(frame + FRAME_HEADER, payload, length);
  return write_all(session.fd, frame, FRAME_HEADER + length);
}

static int type_keys(const char *keys, size_t length) {
  return session.framed ? send_frame(INPUT, keys, length) : write_all(session.fd, keys, length);
}

/* Leaves only what a terminal would be given: the bytes of output and of snapshots, without what leads them.
 */
static size_t unframe(char *bytes, size_t length) {
  static unsigned char header[FRAME_HEADER];
  static size_t header_length, payload_left, lead_left;
  size_t kept = 0;
  for (size_t at = 0; at < length;) {
    if (header_length < FRAME_HEADER) {
      header[header_length++] = bytes[at++];
      if (header_length < FRAME_HEADER)
        continue;
      payload_left = header[1] | header[2] << 8 | header[3] << 16 | (size_t)header[4] << 24;
      lead_left = header[0] == OUTPUT ? 8 : header[0] == SNAPSHOT ? 9 : payload_left;
    }
    size_t here = length - at < payload_left ? length - at : payload_left;
    size_t lead = here < lead_left ? here : lead_left;
    memmove(bytes + kept, bytes + at + lead, here - lead);
    kept += here - lead;
    lead_left -= lead;
    payload_left -= here;
    at += here;
    if (!payload_left)
      header_length = 0;
  }
  return kept;
}

/* Reads once, behind the bytes that were carried over; 0 when there is nothing now, -1 when there will be nothing
 * more. */
static ssize_t receive(size_t carried) {
  ssize_t got = read(session.fd, session.bytes + carried, READ_BYTES);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
    return 0;
  if (got <= 0) {
    session.dead = 1;
    return -1;
  }
  if (!session.first_byte_at)
    session.first_byte_at = now_ns();
  size_t shown = session.framed ? unframe(session.bytes + carried, got) : (size_t)got;
  session.total += shown;
  session.reads++;
  return shown;
}

/* ---- The driver ---- */

enum { MOST_ARMED = 3, ARMED_BYTES = 128 };

/* Texts that are waited for; once all were seen, that is told. */
static struct {
  char texts[MOST_ARMED][ARMED_BYTES];
  int seen[MOST_ARMED];
  int count;
  int waiting;
  size_t carried;
} armed;

static void arm(const char *text) {
  if (armed.count == MOST_ARMED)
    return;
  snprintf(armed.texts[armed.count], ARMED_BYTES, "%s", text);
  armed.seen[armed.count++] = 0;
  armed.waiting = 1;
}

static void look_for_armed(size_t length) {
  int all = 1;
  for (int i = 0; i < armed.count; i++) {
    if (!armed.seen[i] && memmem(session.bytes, length, armed.texts[i], strlen(armed.texts[i])))
      armed.seen[i] = 1;
    all &= armed.seen[i];
  }
  if (all) {
    armed.waiting = 0;
    printf("hit %lld %lld %lld\n", (long long)now_ns(), session.total, session.reads);
    fflush(stdout);
  }
}

/* Answers the few questions that a client asks its terminal and waits for. */
static void answer(const char *bytes, size_t length) {
  static const char *answers[][2] = {
      {"\033[c", "\033[?62;22c"},
      {"\033[0c", "\033[?62;22c"},
      {"\033[>c", "\033[>1;10;0c"},
      {"\033[>0c", "\033[>1;10;0c"},
      {"\033[6n", "\033[1;1R"},
      {"\033[5n", "\033[0n"},
      {"\033]10;?", "\033]10;rgb:ffff/ffff/ffff\033\\"},
      {"\033]11;?", "\033]11;rgb:0000/0000/0000\033\\"},
      {"\033[14t", "\033[4;800;960t"},
      {"\033[16t", "\033[6;20;8t"},
      {"\033[?2026$p", "\033[?2026;2$y"},
  };
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    if (memmem(bytes, length, answers[i][0], strlen(answers[i][0])))
      write_all(session.fd, answers[i][1], strlen(answers[i][1]));
}

static ssize_t pump(void) {
  /* Clients ask when they start; looking for questions in all that follows would cost too much. */
  static long long answered_left = 1 << 16;
  size_t carried = armed.carried;
  ssize_t got = receive(carried);
  if (got <= 0)
    return got;
  if (!session.framed && answered_left > 0) {
    answer(session.bytes + carried, got);
    answered_left -= got;
  }
  armed.carried = 0;
  if (armed.waiting) {
    size_t length = carried + got;
    look_for_armed(length);
    armed.carried = length < CARRY_BYTES ? length : CARRY_BYTES;
    memmove(session.bytes, session.bytes + length - armed.carried, armed.carried);
  }
  return got;
}

static int by_size(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return x < y ? -1 : x > y;
}

/* Whether this key comes back in time. */
static int comes_back(char key, int64_t typed_at, int timeout_ms) {
  while (!session.dead) {
    struct pollfd bytes = {session.fd, POLLIN, 0};
    int64_t left_ms = timeout_ms - (now_ns() - typed_at) / 1000000;
    if (left_ms <= 0 || poll(&bytes, 1, left_ms) <= 0)
      return 0;
    ssize_t got = receive(0);
    if (got > 0 && memchr(session.bytes, key, got))
      return 1;
  }
  return 0;
}

/* Types keys one after the other, each when the one before came back, and tells how long each took. */
static void measure_echo(int keys, int gap_us, int timeout_ms) {
  static const char set[] = "~%&@_^|!";
  enum { MOST_LOST = 5 };
  long long *took = malloc(sizeof *took * (keys + 1));
  int got = 0, lost = 0;
  for (int i = 0; i < keys && !session.dead && lost <= MOST_LOST; i++) {
    while (pump() > 0) {
    }
    if (gap_us) {
      struct timespec gap = {0, (gap_us + (i * 7919) % (gap_us + 1)) * 1000L};
      nanosleep(&gap, NULL);
      while (pump() > 0) {
      }
    }
    char key = set[i % 8];
    int64_t typed_at = now_ns();
    if (type_keys(&key, 1))
      break;
    if (comes_back(key, typed_at, timeout_ms))
      took[got++] = now_ns() - typed_at;
    else
      lost++;
  }
  qsort(took, got, sizeof *took, by_size);
  printf("lat %d %d", got, lost);
  for (int i = 0; i < got; i++)
    printf(" %lld", took[i]);
  printf("\n");
  free(took);
}

/* Does what a line says; false when it says to leave. */
static int obey(char *line) {
  int keys, gap_us, timeout_ms;
  if (sscanf(line, "lat %d %d %d", &keys, &gap_us, &timeout_ms) == 3) {
    measure_echo(keys, gap_us, timeout_ms);
  } else if (!strncmp(line, "arm ", 4)) {
    armed.count = 0;
    for (char *text = strtok(line + 4, " "); text; text = strtok(NULL, " "))
      arm(text);
    printf("armed\n");
  } else if (!strncmp(line, "send ", 5)) {
    type_keys(line + 5, strlen(line + 5));
    printf("sent %lld\n", (long long)now_ns());
  } else if (!strcmp(line, "bytes")) {
    printf("bytes %lld %lld %lld\n", session.total, session.reads, (long long)session.first_byte_at);
  } else if (!strcmp(line, "quit")) {
    return 0;
  }
  fflush(stdout);
  return 1;
}

static void drive(int64_t started_at, pid_t client) {
  enum { READS_BETWEEN_LINES = 256 };
  static char lines[4096];
  size_t length = 0;
  fcntl(session.fd, F_SETFL, fcntl(session.fd, F_GETFL) | O_NONBLOCK);
  printf("spawn %lld %d\n", (long long)started_at, client);
  fflush(stdout);
  for (;;) {
    if (!session.dead) {
      for (int reads = 0; reads < READS_BETWEEN_LINES && pump() > 0; reads++) {
      }
      if (session.dead) {
        printf("eof %lld %lld\n", (long long)now_ns(), session.total);
        fflush(stdout);
      }
    }
    struct pollfd wake[2] = {{0, POLLIN, 0}, {session.dead ? -1 : session.fd, POLLIN, 0}};
    if (poll(wake, 2, -1) < 0 && errno != EINTR)
      return;
    if (!(wake[0].revents & (POLLIN | POLLHUP)))
      continue;
    ssize_t got = read(0, lines + length, sizeof lines - length - 1);
    if (got <= 0)
      return;
    length += got;
    lines[length] = 0;
    for (char *end; (end = strchr(lines, '\n'));) {
      *end = 0;
      if (!obey(lines))
        return;
      size_t used = end + 1 - lines;
      memmove(lines, end + 1, length - used + 1);
      length -= used;
    }
  }
}

/* A client's terminal does not echo by itself, so that only what came back from the session is seen. */
static struct termios *without_echo(struct termios *t) {
  int master, slave;
  if (openpty(&master, &slave, NULL, NULL, NULL))
    return NULL;
  tcgetattr(slave, t);
  t->c_lflag &= ~(ECHO | ECHOE | ECHOK | ECHONL);
  close(master);
  close(slave);
  return t;
}

static void end_client(pid_t client) {
  close(session.fd);
  kill(client, SIGHUP);
  for (int waited_5ms = 0; waited_5ms < 200; waited_5ms++) {
    if (waitpid(client, NULL, WNOHANG) != 0)
      return;
    usleep(5000);
    if (waited_5ms == 100)
      kill(client, SIGTERM);
    if (waited_5ms == 150)
      kill(client, SIGKILL);
  }
}

static struct winsize wanted_size(int argc, char **argv) {
  int cols = atoi(option(argc, argv, "--cols", "120")), rows = atoi(option(argc, argv, "--rows", "40"));
  return (struct winsize){rows, cols, 0, 0};
}

static int attach(int argc, char **argv) {
  char **client_command = command(argc, argv);
  if (!client_command)
    return 2;
  for (int i = 2; strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], "--arm"))
      arm(argv[i + 1]);
  struct winsize size = wanted_size(argc, argv);
  struct termios t;
  struct termios *quiet = without_echo(&t);
  int64_t started_at = now_ns();
  pid_t client = forkpty(&session.fd, NULL, quiet, &size);
  if (client < 0)
    die("forkpty");
  if (!client) {
    execvp(client_command[0], client_command);
    _exit(127);
  }
  drive(started_at, client);
  end_client(client);
  return 0;
}

static int abattach(int argc, char **argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", option(argc, argv, "--sock", ""));
  struct winsize size = wanted_size(argc, argv);
  int64_t started_at = now_ns();
  session.framed = 1;
  session.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (session.fd < 0 || connect(session.fd, (struct sockaddr *)&address, sizeof address))
    die("connect");
  char hello[256];
  int length = snprintf(hello, sizeof hello,
                        "{\"version\":1,\"form\":\"full\",\"history\":0,\"size\":{\"cols\":%d,\"rows\":%d},"
                        "\"name\":\"termbench\"}",
                        size.ws_col, size.ws_row);
  if (send_frame(ATTACH, hello, length))
    die("attach");
  drive(started_at, getpid());
  return 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(int, char **);
  } tools[] = {{"emit", emit}, {"echo", echo}, {"idle", idle}, {"attach", attach}, {"abattach", abattach}};
  signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; argc > 1 && i < sizeof tools / sizeof *tools; i++)
    if (!strcmp(argv[1], tools[i].name))
      return tools[i].run(argc, argv);
  return 2;
}
