import { dashboard } from "../dashboard/dashboard.svelte";
import { sessionTitle, taskTitle, workerTag, workerTitle } from "../dashboard/names";
import { plainTitle, standing } from "../dashboard/standing";
import { openWorker } from "../home/actions";
import { takesPrompts } from "../prompts/prompts.svelte";
import type { Command } from "./commands";
import { overlays } from "./overlays.svelte";
import { router } from "./router.svelte";
import { settings } from "./settings.svelte";

/** Goes to the agent that asks; with several, to the next one each time. */
export function nextAsking(): void {
  const { asking } = dashboard;
  const { route } = router;
  const at = route.name === "session" ? asking.findIndex(({ id }) => id === route.worker) : -1;
  const next = asking[(at + 1) % asking.length];
  if (next) openWorker(next);
}

/** What can be done everywhere. */
export function ownCommands(): Command[] {
  return [
    ...askingCommands(),
    ...workerCommands(),
    ...promptCommands(),
    ...taskCommands(),
    ...placeCommands(),
    ...otherCommands(),
  ];
}

function askingCommands(): Command[] {
  return dashboard.asking.map((worker) => ({
    id: `asking:${worker.id}`,
    group: "Needs you",
    title: workerTitle(worker),
    detail: worker.asking ?? "It waits for you.",
    run: () => openWorker(worker),
  }));
}

function workerCommands(): Command[] {
  return dashboard.sessions.flatMap((session) =>
    session.workers.map((worker): Command => {
      const own = plainTitle(worker);
      // Agents mostly have their task as their title.
      const isSaid = own !== undefined && sessionTitle(session).startsWith(own);
      const about = [workerTag(worker), isSaid ? undefined : own, standing(worker).word];
      return {
        id: `worker:${worker.id}`,
        group: "Workers",
        title: sessionTitle(session),
        detail: about.filter((each, at) => each && about.indexOf(each) === at).join(" · "),
        run: () => openWorker(worker),
      };
    }),
  );
}

function promptCommands(): Command[] {
  return dashboard.workers.filter(takesPrompts).map((worker) => ({
    id: `prompt:${worker.id}`,
    group: "Send a prompt",
    title: workerTitle(worker),
    detail: workerTag(worker),
    run: () => overlays.open({ kind: "prompt", worker: worker.id }),
  }));
}

function taskCommands(): Command[] {
  return dashboard.tasks.map((task) => ({
    id: `task:${task.id}`,
    group: "Tasks",
    title: taskTitle(task),
    detail: task.status,
    run: () => router.go({ name: "board", task: task.id }),
  }));
}

function placeCommands(): Command[] {
  return [
    { id: "home", group: "Go to", title: "Home", keys: "G H", run: () => router.go({ name: "home" }) },
    { id: "inbox", group: "Go to", title: "Inbox", keys: "G I", run: () => router.go({ name: "inbox" }) },
    { id: "wall", group: "Go to", title: "Wall", keys: "G W", run: () => router.go({ name: "wall" }) },
    { id: "board", group: "Go to", title: "Board", keys: "G B", run: () => router.go({ name: "board" }) },
    {
      id: "search",
      group: "Go to",
      title: "Search all output",
      keys: "G S",
      run: () => router.go({ name: "search", query: "" }),
    },
    { id: "usage", group: "Go to", title: "Usage", keys: "G U", run: () => router.go({ name: "usage" }) },
    {
      id: "settings",
      group: "Go to",
      title: "Settings",
      keys: "G ,",
      run: () => router.go({ name: "settings" }),
    },
  ];
}

function otherCommands(): Command[] {
  const dark = settings.theme === "dark";
  return [
    { id: "new", group: "Do", title: "New session…", keys: "N", run: () => overlays.open({ kind: "new" }) },
    {
      id: "theme",
      group: "Do",
      title: dark ? "Light theme" : "Dark theme",
      run: () => {
        settings.theme = dark ? "light" : "dark";
      },
    },
    {
      id: "help",
      group: "Do",
      title: "Keyboard shortcuts",
      keys: "?",
      run: () => overlays.open({ kind: "help" }),
    },
  ];
}
