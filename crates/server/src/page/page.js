// Shows what runs, live. Everything foreign is put in as text, never as markup.
const TOKEN = "abide.token";
const status = document.getElementById("status");
const list = document.getElementById("sessions");
const sessions = new Map();

const element = (tag, text, kind) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};

const stateOf = ({ state, activity, viewers }) => {
  if (state.kind === "exited") return state.signal ? `ended by signal ${state.signal}` : `exited ${state.exitCode}`;
  if (state.kind !== "live") return state.kind === "notAnswering" ? "not answering" : state.kind;
  const watched = viewers ? `, ${viewers} watching` : "";
  return (activity === "unknown" ? "live" : activity) + watched;
};

/** The one word by which it is coloured. */
const kindOf = ({ state, activity }) => (state.kind === "live" && activity !== "unknown" ? activity : state.kind);

const show = () => {
  const shown = [...sessions.values()].map((session) => {
    const section = element("section");
    const heading = element("h2", session.title ?? session.locationPath);
    if (session.title) heading.append(element("small", session.locationPath));
    const workers = element("ul");
    for (const worker of session.workers) {
      const row = element("li");
      const name = element("span", undefined, "name");
      name.append(element("span", worker.name));
      if (worker.handle) name.append(element("code", worker.handle));
      row.append(name, element("span", stateOf(worker), `state ${kindOf(worker)}`));
      const about = worker.asking ?? worker.title ?? worker.state.reason;
      if (about) row.append(element("span", about, "about"));
      workers.append(row);
    }
    section.append(heading, workers);
    return section;
  });
  if (!shown.length) {
    const empty = element("p", "Nothing runs yet. Start a worker with ", "empty");
    empty.append(element("code", "abide new"), " and it appears here.");
    shown.push(empty);
  }
  list.replaceChildren(...shown);
};

const take = ({ kind, session, sessionId, worker, workerId }) => {
  if (kind === "session.changed") sessions.set(session.id, session);
  if (kind === "session.removed") sessions.delete(sessionId);
  if (kind === "worker.changed") {
    const workers = sessions.get(worker.sessionId)?.workers;
    const at = workers?.findIndex((each) => each.id === worker.id) ?? -1;
    if (at >= 0) workers[at] = worker;
    else workers?.push(worker);
  }
  if (kind === "worker.removed") {
    for (const each of sessions.values()) each.workers = each.workers.filter(({ id }) => id !== workerId);
  }
};

const follow = (token, last) => {
  const resume = last ? `?epoch=${encodeURIComponent(last.epoch)}&since=${last.seq}` : "";
  const socket = new WebSocket(`ws://${location.host}/ws/dashboard${resume}`);
  socket.onopen = () => socket.send(JSON.stringify({ type: "auth", token }));
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === "state") {
      sessions.clear();
      for (const session of message.sessions) sessions.set(session.id, session);
    }
    if (message.type === "event") take(message.event);
    last = { epoch: message.epoch ?? last?.epoch, seq: message.seq };
    status.textContent = "Live";
    show();
  };
  socket.onclose = ({ code }) => {
    if (code === 4401 || code === 4403) return signedOut();
    status.textContent = "The server is not there; trying again…";
    setTimeout(() => follow(token, last), 1000);
  };
};

const signedOut = () => {
  localStorage.removeItem(TOKEN);
  status.textContent = "This browser is not signed in. Run “abide open” in a terminal and use its link.";
  list.replaceChildren();
};

const begin = async () => {
  const code = location.hash.slice(1);
  if (code) {
    history.replaceState(null, "", location.pathname);
    const answer = await fetch("/api/auth/exchange", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    if (answer.ok) localStorage.setItem(TOKEN, (await answer.json()).secret);
  }
  const token = localStorage.getItem(TOKEN);
  if (token) follow(token);
  else signedOut();
};

begin();
