// Generated from docs/openapi.json by `npm run api`.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description What an agent is doing, as far as it can be known.
         * @enum {string}
         */
        Activity: "unknown" | "active" | "idle" | "asking";
        /** @description Registers a repository. */
        AddRepository: {
            /** @description Any directory in it, as an absolute path. */
            path: string;
        };
        /** @description A known agent. */
        Agent: {
            /** @description The program and its arguments. */
            command: string[];
            /** @description Which one. */
            id: string;
            /** @description Whether the program can be found. */
            installed: boolean;
            /** @description What it is called. */
            name: string;
        };
        /** @description Agrees to commands that were shown. */
        Agree: {
            /** @description The hash of the commands that were shown. */
            hash: string;
        };
        /** @description Replies to what a worker asks. */
        Answer: {
            /** @enum {string} */
            reply: "yes";
        } | {
            /** @enum {string} */
            reply: "always";
        } | {
            /** @enum {string} */
            reply: "no";
            /** @description Words that tell the agent what to do instead. Few agents take any. */
            words?: string | null;
        } | {
            /** @description Its number, from 1 on. */
            choice: number;
            /** @enum {string} */
            reply: "choose";
        } | {
            /** @enum {string} */
            reply: "words";
            /** @description The words. */
            words: string;
        };
        /** @description A task after its session was archived. */
        ArchivedTask: components["schemas"]["Task"] & {
            keptWorktree?: components["schemas"]["KeptWorktree"] | null;
        };
        /** @description An entry of the audit trail. */
        AuditEntry: {
            /** @description What. */
            action: string;
            /** @description Who: a token's name. */
            actor: string;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description More about it. */
            detail?: string | null;
            /** @description With what. */
            object: string;
            /**
             * Format: int64
             * @description Its number.
             */
            seq: number;
        };
        /**
         * @description Why a client is no longer attached to a terminal.
         * @enum {string}
         */
        ClosedReason: "exited" | "closed" | "host-gone" | "refused";
        /** @description A one-time code for a browser. */
        Code: {
            /**
             * Format: date-time
             * @description Until when it can be handed in.
             */
            expiresAt: string;
            /** @description The link to open, with the code in its fragment. */
            url: string;
        };
        /** @description A part of a command. The parts, one after the other, are the command. */
        CommandPart: {
            /** @enum {string} */
            kind: "text";
            /** @description The characters. */
            text: string;
        } | {
            /**
             * Format: u-int32
             * @description How many there are, all of them U+0020.
             */
            count: number;
            /** @enum {string} */
            kind: "blanks";
        } | {
            /** @enum {string} */
            kind: "tab";
        } | {
            /** @enum {string} */
            kind: "newline";
        } | {
            /** @description The code of each of them, such as `U+00F6`. */
            codes: string[];
            /** @enum {string} */
            kind: "notAscii";
            /** @description The characters. */
            text: string;
        };
        /** @description Makes a session. */
        CreateSession: {
            /** @description An agent to start in it. */
            agentId?: string | null;
            /** @description Whether the agent shall take up its last conversation there. */
            continueConversation?: boolean;
            /** @description The directory, as an absolute path; it may begin with `~`, the user's own. */
            locationPath: string;
            /** @description What the agent shall do first. */
            prompt?: string | null;
            /** @enum {string} */
            type: "quick";
        } | {
            /** @description An agent to start in it. */
            agentId?: string | null;
            /** @description Whether the agent shall take up its last conversation there. */
            continueConversation?: boolean;
            /** @description The worktree's directory, if the caller wants it checked. */
            locationPath?: string | null;
            /** @description What the agent shall do first. */
            prompt?: string | null;
            /** @description The repository. */
            repositoryId: string;
            /** @enum {string} */
            type: "worktree";
            /** @description The worktree. */
            worktreeId: string;
        };
        /** @description Writes down a task. */
        CreateTask: {
            /** @description The agent that shall work on it. */
            agentId?: string | null;
            /** @description More about it. */
            description?: string | null;
            /** @description Whether it stands above the others. */
            pinned?: boolean;
            /** @description Its repository. */
            projectId: string;
            /** @description What is to be done, in a line. */
            title: string;
        };
        /** @description Makes a token. */
        CreateToken: {
            /**
             * Format: u-int32
             * @description For how many seconds, at least one; by default until it is revoked.
             */
            expiresInSeconds?: number | null;
            /** @description What it is for. */
            name: string;
            /** @description How far it shall reach. */
            scope: components["schemas"]["Scope"];
        };
        /** @description Makes a worker. */
        CreateWorker: {
            /** @description The program and its arguments; by default the user's shell. */
            command?: string[] | null;
            /** @description What to call it. */
            name?: string | null;
            /** @enum {string} */
            type: "terminal";
        } | {
            /** @description Its definition. */
            agentId: string;
            /** @description Whether it shall take up its last conversation there. */
            continueConversation?: boolean;
            /** @description What to call it. */
            name?: string | null;
            /** @description What it shall do first. */
            prompt?: string | null;
            /** @enum {string} */
            type: "agent";
        };
        /** @description Makes a worktree. */
        CreateWorktree: {
            /** @description Where a new branch begins; by default at the repository's current commit. */
            base?: string | null;
            /** @description The branch: one that is there and checked out nowhere, or a new one. */
            branch?: string | null;
        };
        /** @description Something that happened. */
        DashboardEvent: {
            /** @enum {string} */
            kind: "session.changed";
            /** @description How it is now. */
            session: components["schemas"]["Session"];
        } | {
            /** @enum {string} */
            kind: "session.removed";
            /** @description Which one. */
            sessionId: string;
        } | {
            /** @enum {string} */
            kind: "worker.changed";
            /** @description How it is now. */
            worker: components["schemas"]["Worker"];
        } | {
            /** @enum {string} */
            kind: "worker.removed";
            /** @description Which one. */
            workerId: string;
        } | {
            /** @enum {string} */
            kind: "task.changed";
            /** @description How it is now. */
            task: components["schemas"]["Task"];
        } | {
            /** @enum {string} */
            kind: "task.removed";
            /** @description Which one. */
            taskId: string;
        } | {
            /** @enum {string} */
            kind: "repository.changed";
            /** @description How it is now. */
            repository: components["schemas"]["Repository"];
        } | {
            /** @enum {string} */
            kind: "repository.removed";
            /** @description Which one. */
            repositoryId: string;
        } | {
            /** @enum {string} */
            kind: "worktree.changed";
            /** @description How it is now. */
            worktree: components["schemas"]["Worktree"];
        } | {
            /** @enum {string} */
            kind: "worktree.removed";
            /** @description Which one. */
            worktreeId: string;
        } | {
            /** @description How it is now. */
            item: components["schemas"]["InboxItem"];
            /** @enum {string} */
            kind: "inbox.changed";
        } | {
            /** @description Which one. */
            itemId: string;
            /** @enum {string} */
            kind: "inbox.removed";
        } | {
            /** @enum {string} */
            kind: "prompt.changed";
            /** @description How it is now. */
            prompt: components["schemas"]["Prompt"];
        } | {
            /** @enum {string} */
            kind: "prompt.removed";
            /** @description Which one. */
            promptId: string;
        } | {
            /** @enum {string} */
            kind: "terminal.session_created";
            /** @description Its session. */
            sessionId: string;
            /** @description The worker. */
            workerId: string;
        } | {
            /** @enum {string} */
            kind: "terminal.viewer_attached";
            /** @description What the viewer calls itself. */
            viewer: string;
            /**
             * Format: u-int32
             * @description How many there are now.
             */
            viewers: number;
            /** @description The worker. */
            workerId: string;
        } | {
            /** @enum {string} */
            kind: "terminal.viewer_detached";
            /** @description What the viewer called itself. */
            viewer: string;
            /**
             * Format: u-int32
             * @description How many there are now.
             */
            viewers: number;
            /** @description The worker. */
            workerId: string;
        } | {
            /** @enum {string} */
            kind: "terminal.session_closed";
            /** @description Its session. */
            sessionId: string;
            /** @description The worker. */
            workerId: string;
        } | {
            /**
             * Format: u-int8
             * @description The code, or 128 and the signal's number.
             */
            exitCode: number;
            /** @enum {string} */
            kind: "terminal.process_exited";
            /** @description Its session. */
            sessionId: string;
            /**
             * Format: u-int8
             * @description The signal that ended it.
             */
            signal?: number | null;
            /** @description The worker. */
            workerId: string;
        };
        /** @description What the server says on `/ws/dashboard`. */
        DashboardMessage: {
            /** @description Which run of the server the numbers of events belong to. */
            epoch: string;
            /** @description What waits for a person, the longest wait first. */
            inbox: components["schemas"]["InboxItem"][];
            /** @description All repositories. */
            repositories: components["schemas"]["Repository"][];
            /**
             * Format: u-int64
             * @description The number of the last event that is in it.
             */
            seq: number;
            /** @description All sessions that are not closed, with their workers. */
            sessions: components["schemas"]["Session"][];
            /** @description All tasks. */
            tasks: components["schemas"]["Task"][];
            /** @enum {string} */
            type: "state";
            /** @description All worktrees that abide knows of. */
            worktrees: components["schemas"]["Worktree"][];
        } | {
            /** @description Which run of the server it is still. */
            epoch: string;
            /**
             * Format: u-int64
             * @description The number of the last event that it has.
             */
            seq: number;
            /** @enum {string} */
            type: "resumed";
        } | {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description What. */
            event: components["schemas"]["DashboardEvent"];
            /**
             * Format: u-int64
             * @description Its number: one more than the one before.
             */
            seq: number;
            /** @enum {string} */
            type: "event";
        } | {
            /** @enum {string} */
            type: "pong";
        };
        /** @description Changes a prompt that is queued. What is left out stays. */
        EditPrompt: {
            /** @description What to send. */
            text?: string | null;
            /** @description Whether it waits until the agent is idle. */
            whenIdle?: boolean | null;
        };
        /**
         * @description What went wrong, for programs: a code never changes its meaning.
         * @enum {string}
         */
        ErrorCode: "secret-in-url" | "bad-json" | "bad-query" | "bad-request" | "unauthenticated" | "wrong-code" | "bond-over" | "bearer-off" | "foreign-origin" | "cross-site" | "forbidden" | "not-found" | "unknown-path" | "method-not-allowed" | "wrong-state" | "has-session" | "no-session" | "known-repository" | "in-use" | "has-work" | "branch-elsewhere" | "branch-exists" | "path-taken" | "repository-locked" | "missing" | "question-changed" | "other-prompt" | "commands-changed" | "not-live" | "body-too-large" | "uri-too-long" | "unsupported-media-type" | "misdirected" | "invalid-body" | "task-not-active" | "bad-path" | "bad-text" | "not-a-repository" | "unknown-agent" | "cannot-answer" | "cannot-start" | "git-refused" | "upgrade-required" | "too-many" | "head-too-large" | "internal" | "no-git" | "not-answering" | "git-too-slow" | "unavailable";
        /** @description Hands in a one-time code. */
        ExchangeCode: {
            /** @description The code from a link's fragment. */
            code: string;
        };
        /** @description How it is known what a worker is doing. */
        Explanation: {
            /** @description What it is doing. */
            activity: components["schemas"]["Activity"];
            /** @description The definition by which the worker is judged; `generic` if the program is not known. */
            agentId: string;
            /** @description What it said when it failed, while it is idle after that, with secrets masked. */
            error?: string | null;
            /** @description What each source says that says anything, the better ones first. */
            evidence: components["schemas"]["SaidBy"][];
            /** @description How that was found: `agent`, `command`, `title` or `nothing`. */
            knownBy: string;
            /** @description The sources that say something else and are not believed. */
            overruled: components["schemas"]["SaidBy"][];
            question?: components["schemas"]["Question"] | null;
            /** @description Whether its host shows its screen to the detector. Hosts of earlier releases do not. */
            seesScreen: boolean;
            /**
             * Format: date-time
             * @description Since when.
             */
            since?: string | null;
            /** @description The source that is believed; null if no source says anything. */
            source?: string | null;
            turn?: components["schemas"]["Turn"] | null;
        };
        /** @description How the server is doing. */
        Health: {
            /** @description Why the last message about the inbox did not reach its destination. Told to the owner alone. */
            notifyFailure?: string | null;
            /** @description What it cannot do, and why. Told to the owner alone. */
            reason?: string | null;
            /** @description Which release it is. */
            release: string;
            /** @description Whether it can do all that it should. */
            status: components["schemas"]["HealthStatus"];
        };
        /**
         * @description Whether the server can do all that it should.
         * @enum {string}
         */
        HealthStatus: "ok" | "degraded";
        /** @description The server has signed the hello. */
        HelloAnswer: {
            /** @description The server's ephemeral public key. */
            key: string;
            /** @description The server's signature. */
            signature: string;
            /**
             * Format: u-int64
             * @description Send this back. It says when the server answered, on a clock of its own.
             */
            stamp: number;
        };
        /** @description Asks the server to show its key. */
        HelloRequest: {
            /** @description The `host:port` in the page's address. */
            authority: string;
            /** @description The device's id. */
            device: string;
            /** @description The page's ephemeral public key. */
            key: string;
            /** @description 32 random bytes. */
            nonce: string;
        };
        /** @description What came of an import of sessions. */
        ImportReply: {
            /** @description The sessions that are new. */
            imported: string[];
            /** @description Those that were left out, and why. */
            skipped: components["schemas"]["SkippedSession"][];
        };
        /** @description A worker that waits for a person. */
        InboxItem: {
            /** @description Which entry it is. */
            id: string;
            /** @description The `id` of the worker's `question` that is meant, if it asks. */
            questionId?: string | null;
            /** @description Whether a person has read it. */
            read: boolean;
            /** @description Why it waits. */
            reason: components["schemas"]["InboxReason"];
            /** @description The repository of the session. */
            repositoryId?: string | null;
            /** @description The worker's session. */
            sessionId: string;
            /**
             * Format: date-time
             * @description Since when it waits.
             */
            since: string;
            /**
             * Format: date-time
             * @description Until when a person does not want to hear of it.
             */
            snoozedUntil?: string | null;
            /** @description The task that the session is for. */
            taskId?: string | null;
            /** @description The question, the agent's last words, or the error, with secrets masked. */
            words?: string | null;
            /** @description The worker. */
            workerId: string;
        };
        /**
         * @description Why a worker waits for a person.
         * @enum {string}
         */
        InboxReason: "asking" | "finished" | "failed" | "limit" | "lost" | "stuck";
        /** @description A worktree that was kept. */
        KeptWorktree: {
            /** @description Where it is. */
            path: string;
            /** @description What is in it, in words. */
            work: string[];
        };
        /**
         * @description How one past session of a task ended.
         * @enum {string}
         */
        LogExit: "done" | "failed";
        /** @description A new token. Its secret is told this once. */
        NewToken: {
            /** @description The secret, for `Authorization: Bearer`. */
            secret: string;
            /** @description The rest. */
            token: components["schemas"]["Token"];
        };
        /** @description Shows the device's key, after the server has shown its own. */
        OpenBond: {
            /** @description The hello, once more. */
            hello: components["schemas"]["HelloRequest"];
            /** @description The device's signature. */
            signature: string;
            /**
             * Format: u-int64
             * @description The stamp of the server's answer.
             */
            stamp: number;
        };
        /** @description The bond is open. */
        OpenedBond: {
            /** @description The device that it belongs to. */
            device: string;
            /** @description Shows that the server has the bond's key. */
            mac: string;
        };
        /** @description An error: the server did not do what the request asks for. */
        Problem: {
            /** @description What went wrong. */
            error: components["schemas"]["ProblemBody"];
        };
        /** @description What went wrong: a code for programs, a sentence for people and a way on. */
        ProblemBody: {
            /** @description What went wrong, for programs. */
            code: components["schemas"]["ErrorCode"];
            /** @description More, where the code has more to say: the id of what is in the way, for instance. */
            detail?: Record<string, never> | null;
            /** @description What may help. */
            hint?: string | null;
            /** @description What went wrong, for people. */
            message: string;
        };
        /** @description A prompt that is sent to a worker. */
        Prompt: {
            /**
             * Format: date-time
             * @description Since when it is in that state.
             */
            changedAt: string;
            /**
             * Format: date-time
             * @description When it was sent.
             */
            createdAt: string;
            /** @description Which prompt it is. */
            id: string;
            /** @description The sender's key. */
            key?: string | null;
            /** @description Who sent it. */
            sender: string;
            /** @description What has become of it. */
            state: components["schemas"]["PromptState"];
            /** @description What is sent. */
            text: string;
            /** @description Whether it waits until the agent is idle. */
            whenIdle: boolean;
            /** @description The worker. */
            workerId: string;
        };
        /** @description What has become of a prompt. */
        PromptState: {
            /** @enum {string} */
            kind: "queued";
            waitsFor?: components["schemas"]["PromptWaitsFor"] | null;
        } | {
            /** @enum {string} */
            kind: "pasting";
        } | {
            /** @enum {string} */
            kind: "pasted";
        } | {
            /** @enum {string} */
            kind: "submitting";
        } | {
            /** @enum {string} */
            kind: "submitted";
        } | {
            /** @enum {string} */
            kind: "started";
        } | {
            /** @enum {string} */
            kind: "failed";
            /** @description Why. */
            reason: string;
        } | {
            /** @enum {string} */
            kind: "cancelled";
            /** @description Why. */
            reason: string;
        } | {
            /** @enum {string} */
            kind: "unknown";
            /** @description Why. */
            reason: string;
        };
        /**
         * @description What a queued prompt waits for.
         * @enum {string}
         */
        PromptWaitsFor: "earlier" | "answer" | "idle" | "activity";
        /** @description What a repository's `.abide.toml` wants to run, and whether the user agreed to that. */
        Provisioning: {
            /** @description Whether they are run. */
            agreed: boolean;
            /** @description All of these commands as a person must see them before they agree: every character, blanks and line ends too. */
            commands: components["schemas"]["SeenCommand"][];
            /** @description Stands for exactly these commands; to be sent to agree to them. */
            hash: string;
            /** @description Commands run in a new worktree, in order. For programs: `commands` is what people are shown. */
            setup: string[];
            /** @description Commands run before a worktree is removed. For programs: `commands` is what people are shown. */
            teardown: string[];
            /** @description What in the file means nothing, each with its line and what to do about it. */
            warnings: string[];
        };
        /** @description What runs, in numbers. */
        PtyStat: {
            /**
             * Format: u-int32
             * @description How many screens show it.
             */
            clients: number;
            /**
             * Format: date-time
             * @description When it last printed something.
             */
            lastActivity?: string | null;
            /**
             * Format: u-int64
             * @description How many bytes it has printed.
             */
            outputBytes: number;
            /** @description The session. */
            sessionId: string;
            /**
             * Format: u-int64
             * @description For how many seconds it has run.
             */
            uptime: number;
            /** @description The worker. */
            workerId: string;
        };
        /** @description What a program asks, with secrets masked. */
        Question: {
            /** @description The answers to choose from. */
            choices: string[];
            /** @description What it is about, a line each: the command to run, the file to change. */
            detail: string[];
            /** @description Stands for this question, with its choices. */
            id: string;
            /** @description What kind of answer it needs: `permission`, `question`, `trust`, `api-key`, `auth`, `limit` or `conflict`. */
            kind?: string | null;
            /** @description The choice on which the selection stands, from 0 on. */
            selected?: number | null;
            /** @description Whether it is answered with a line of text. */
            takesWords: boolean;
            /** @description Its words. */
            text?: string | null;
        };
        /** @description A line that was printed, masked. */
        RecordedLine: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /**
             * Format: u-int64
             * @description Where it was whole and settled: within a kilobyte after its last byte.
             */
            offset: number;
            /** @description Its text. */
            text: string;
        };
        /** @description Some lines, in the order in which they were printed. */
        RecordedLines: {
            /** @description The lines. */
            lines: components["schemas"]["RecordedLine"][];
            /** @description What to ask for as `after` to have more, if there may be. */
            next?: string | null;
        };
        /** @description A screen as it was, masked. */
        RecordedScreen: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /**
             * Format: u-int16
             * @description Columns of the terminal.
             */
            cols: number;
            /** @description Whether output is missing before it, so that it may be wrong. */
            doubtful: boolean;
            /**
             * Format: u-int64
             * @description How much output had come.
             */
            offset: number;
            /**
             * Format: u-int16
             * @description Rows of the terminal.
             */
            rows: number;
            /** @description What redraws it in an emulator, in base64: it begins with a reset. */
            snapshot: string;
            /** @description The rows as plain text. */
            text: string[];
        };
        /** @description Output that a recording has not got. */
        RecordingGap: {
            /**
             * Format: u-int64
             * @description The offset of the first byte that is missing.
             */
            from: number;
            /**
             * Format: u-int64
             * @description The offset of the first byte that is not, if anybody knows.
             */
            to?: number | null;
        };
        /** @description What there is of a recording. */
        RecordingInfo: {
            /**
             * Format: u-int64
             * @description What all of that takes.
             */
            bytesOnDisk: number;
            /**
             * Format: u-int16
             * @description Columns at the end.
             */
            cols: number;
            /**
             * Format: u-int64
             * @description How much output had come at the end of it.
             */
            endOffset: number;
            /**
             * Format: date-time
             * @description When the first segment that is still there began.
             */
            firstAt: string;
            /**
             * Format: u-int64
             * @description The first byte that is still there.
             */
            firstOffset: number;
            /**
             * Format: u-int64
             * @description How many gaps there are.
             */
            gapCount: number;
            /** @description What is missing, oldest first; at most a thousand of all. */
            gaps: components["schemas"]["RecordingGap"][];
            /**
             * Format: date-time
             * @description When the last thing in it happened.
             */
            lastAt: string;
            /**
             * Format: u-int16
             * @description Rows at the end.
             */
            rows: number;
            /** @description How many segments it has. */
            segments: number;
        };
        /** @description Something to find one's way by. */
        RecordingMark: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description What, in a word: `command`, `exit`, `resize` and so on. */
            kind: string;
            /**
             * Format: u-int64
             * @description Where.
             */
            offset: number;
            /** @description More about it. */
            text?: string | null;
        };
        /** @description Some marks. */
        RecordingMarks: {
            /** @description The marks. */
            marks: components["schemas"]["RecordingMark"][];
            /** @description What to ask for as `after` to have more, if there may be. */
            next?: string | null;
        };
        /** @description Registers a browser's key, with a one-time code that is not sent. */
        RegisterDevice: {
            /** @description The `host:port` in the page's address. */
            authority: string;
            /** @description The name of the code, derived from it. */
            code: string;
            /** @description The browser's public key: a point of P-256, 65 bytes. */
            key: string;
            /** @description Shows that the page knows the code. */
            mac: string;
            /** @description 32 random bytes. */
            nonce: string;
        };
        /** @description The browser's key is registered. */
        RegisteredDevice: {
            /** @description Shows that the server knows the code too. */
            mac: string;
            /** @description The server's public key. The page keeps it, and accepts no other from then on. */
            serverKey: string;
            /** @description The token that belongs to the key. Its id is the device's id. */
            token: components["schemas"]["Token"];
        };
        /** @description A worktree that was removed, or was not. */
        RemovedWorktree: {
            /** @description What is in it that would have been lost, in words; empty if nothing. */
            work: string[];
            /** @description How it is now, in the trash; or how it was, if it was forgotten and nothing of it touched, which its note says. */
            worktree: components["schemas"]["Worktree"];
        };
        /** @description A registered repository. */
        Repository: {
            /**
             * Format: date-time
             * @description When it was registered.
             */
            createdAt: string;
            /** @description Which one. */
            id: string;
            /** @description What it is called: its directory's name. */
            name: string;
            /** @description Where it is, exactly, for programs. */
            path: string;
            /** @description Where it is, safe to show: without control characters and marks of direction. */
            shownPath: string;
        };
        /** @description What a request to a model used. */
        RequestUsage: components["schemas"]["UsedTokens"] & {
            context?: components["schemas"]["UsedContext"] | null;
            /**
             * Format: double
             * @description What it cost in US dollars, if the agent says so.
             */
            costUsd?: number | null;
            /** @description The model. */
            model?: string | null;
        };
        /** @description A size for a terminal. */
        Resize: {
            /**
             * Format: u-int16
             * @description Columns; fewer than 2 and more than 1000 are brought within.
             */
            cols: number;
            /**
             * Format: u-int16
             * @description Rows; fewer than 1 and more than 1000 are brought within.
             */
            rows: number;
        };
        /** @description How a worker is started again. Without a body, an agent continues its own conversation. */
        Restart: {
            /**
             * @description Whether an agent continues its own conversation; it begins a new one otherwise.
             * @default true
             */
            continueConversation: boolean;
            /** @description Whether it continues the newest conversation in its directory instead, which may be that of another agent. */
            newest?: boolean;
        };
        /**
         * @description When a repository's command is run.
         * @enum {string}
         */
        RunsWhen: "setup" | "teardown";
        /** @description What a source says. */
        SaidBy: {
            /** @description What it says. */
            activity: components["schemas"]["Activity"];
            /** @description The source: `programStatus`, `hook`, `title`, `progress`, `notification`, `screen` or `promptMark`. */
            source: string;
        };
        /** @description How far a token reaches. */
        Scope: {
            /** @enum {string} */
            kind: "all";
        } | {
            /** @description Whether to type as well as to see. */
            drive?: boolean;
            /** @enum {string} */
            kind: "worker";
            /** @description Which one. */
            workerId: string;
        };
        /** @description A line that was looked for. */
        SearchHit: {
            /** @description Lines after it. */
            after: string[];
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Lines before it. */
            before: string[];
            /** @description Its text. */
            line: string;
            /** @description Where in it the pattern is, each as two numbers of bytes. */
            matches: number[][];
            /**
             * Format: u-int64
             * @description Where it was whole and settled: within a kilobyte after its last byte.
             */
            offset: number;
            /** @description Who printed it. */
            workerId: string;
        };
        /** @description The hits of a search. */
        SearchReply: {
            /** @description Whether everything was searched that had to be. */
            complete: boolean;
            /** @description Whose recordings could not be read, or not all of them. */
            damaged: string[];
            /** @description The hits, newest first. */
            hits: components["schemas"]["SearchHit"][];
            /** @description What to ask for as `before` to have older ones, if there are any. */
            next?: string | null;
        };
        /** @description A command of a repository as a person sees it. */
        SeenCommand: {
            /** @description Its parts, in order: together they are exactly the command. */
            parts: components["schemas"]["CommandPart"][];
            /** @description When it is run. */
            runs: components["schemas"]["RunsWhen"];
        };
        /** @description Sends a prompt to a worker. */
        SendPrompt: {
            /** @description A text of your own. The same prompt that is sent again with the same key is not sent twice. */
            key?: string | null;
            /** @description What to send. */
            text: string;
            /** @description Whether it waits until the agent is idle. Otherwise it is also sent to an agent that works. */
            whenIdle?: boolean;
        };
        /** @description Sends a prompt to several workers. */
        SendPrompts: {
            /** @description A text of your own. The same prompt that is sent again with the same key is not sent twice. */
            key?: string | null;
            /** @description What to send. */
            text: string;
            /** @description Whether it waits until each agent is idle. */
            whenIdle?: boolean;
            /** @description The workers. */
            workerIds: string[];
        };
        /** @description What became of a prompt for one of several workers. */
        SentPrompt: {
            error?: components["schemas"]["ProblemBody"] | null;
            prompt?: components["schemas"]["Prompt"] | null;
            /** @description The worker. */
            workerId: string;
        };
        /** @description A place of work, and the workers in it. */
        Session: components["schemas"]["SessionKind"] & {
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /** @description Which one. */
            id: string;
            /** @description Whether that is not there any more. */
            locationMissing: boolean;
            /** @description The directory. */
            locationPath: string;
            /** @description What the user should know: setup commands that were not run, a worktree that was kept. */
            notices: string[];
            /** @description The same, safe to show. */
            shownLocation: string;
            /** @description Whether anything runs in it. */
            status: components["schemas"]["SessionActivity"];
            /** @description The task that it is for. */
            taskId?: string | null;
            /** @description What it is called. */
            title?: string | null;
            /** @description Its workers, in the order of their tabs. */
            workers: components["schemas"]["Worker"][];
        };
        /**
         * @description Whether anything runs in a session.
         * @enum {string}
         */
        SessionActivity: "active" | "inactive";
        /** @description What a session is. */
        SessionKind: {
            /** @enum {string} */
            type: "quick";
        } | {
            /** @description Its branch. */
            branch: string;
            /** @description The repository. */
            repositoryId: string;
            /** @enum {string} */
            type: "worktree";
            /** @description The worktree. */
            worktreeId: string;
        };
        /** @description One past session of a task. */
        SessionLog: {
            /**
             * Format: date-time
             * @description When it was archived.
             */
            endedAt: string;
            /** @description Why it failed. */
            error?: string | null;
            /** @description How it ended. */
            exitStatus: components["schemas"]["LogExit"];
            /** @description Which one. */
            id: string;
            /** @description The worktree that was kept, since it holds work. */
            keptWorktree?: string | null;
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            startedAt: string;
            /** @description Its task. */
            taskId: string;
            /** @description The worker whose recording can still be watched. */
            workerId?: string | null;
        };
        /** @description A session that was made. */
        SessionReply: {
            /** @description It. */
            session: components["schemas"]["Session"];
        };
        /**
         * @description How a task's session is doing, in one word: a view of its worker's life and activity.
         * @enum {string}
         */
        SessionStatus: "pending" | "provisioning" | "running" | "waiting_for_input" | "done" | "failed";
        /** @description A session that was not imported. */
        SkippedSession: {
            /** @description What it was called there. */
            id: string;
            /** @description Why. */
            reason: string;
        };
        /** @description Sets an entry of the inbox aside for a while. */
        Snooze: {
            /**
             * Format: date-time
             * @description Until when; null to hear of it again at once.
             */
            until?: string | null;
        };
        /** @description A piece of work on a repository. */
        Task: {
            /** @description The agent that works on it; by default the first one. */
            agentId?: string | null;
            /** @description The branch of that. */
            branch?: string | null;
            /**
             * Format: date-time
             * @description When it was written down.
             */
            createdAt: string;
            /** @description More about it. */
            description?: string | null;
            /** @description Which one. */
            id: string;
            /** @description Whether it stands above the others. */
            pinned: boolean;
            /**
             * Format: int64
             * @description Where it stands among the others of its status.
             */
            position: number;
            /** @description Its repository. */
            projectId: string;
            /** @description Why the session failed. */
            sessionError?: string | null;
            /** @description Its session, if it has one. */
            sessionId?: string | null;
            /**
             * Format: date-time
             * @description When the session was asked for.
             */
            sessionStartedAt?: string | null;
            sessionStatus?: components["schemas"]["SessionStatus"] | null;
            /** @description The same, safe to show. */
            shownWorktreePath?: string | null;
            /** @description Where it is in its life. */
            status: components["schemas"]["TaskState"];
            /** @description What is to be done, in a line. */
            title: string;
            /** @description The agent's worker in that session. */
            workerId?: string | null;
            /** @description Its session's worktree. */
            worktreePath?: string | null;
        };
        /**
         * @description Where a task is in its life. People decide on it.
         * @enum {string}
         */
        TaskState: "backlog" | "active" | "done";
        /** @description What the server says on `/ws/terminals`. */
        TerminalsServerMessage: {
            /**
             * Format: u-int16
             * @description Its columns.
             */
            cols: number;
            /**
             * Format: u-int32
             * @description Which epoch offsets belong to.
             */
            epoch: number;
            /** @description What the client wanted to know the answer by. */
            id?: string | null;
            /** @description What it is called in its session. */
            name: string;
            /**
             * Format: u-int16
             * @description Its rows.
             */
            rows: number;
            /** @description The session it is in. */
            sessionId: string;
            /** @enum {string} */
            type: "session_created";
            /** @description Which one it is. */
            workerId: string;
        } | {
            /**
             * Format: u-int16
             * @description Its columns.
             */
            cols: number;
            /**
             * Format: u-int32
             * @description Which epoch offsets belong to.
             */
            epoch: number;
            /**
             * Format: u-int16
             * @description Its rows.
             */
            rows: number;
            /** @enum {string} */
            type: "session_reattached";
            /** @description Which one. */
            workerId: string;
        } | {
            /** @description What draws it, or its first part; the rest follows as output. */
            data: string;
            /**
             * Format: u-int64
             * @description What to name as `since` to go on after this message. Without it, forget the one before.
             */
            offset?: number | null;
            /** @enum {string} */
            type: "scrollback";
            /** @description Which terminal. */
            workerId: string;
        } | {
            /** @description Whole characters and whole sequences. */
            data: string;
            /**
             * Format: u-int64
             * @description What to name as `since` to go on after this message. Without it, forget the one before.
             */
            offset?: number | null;
            /** @enum {string} */
            type: "output";
            /** @description Which terminal. */
            workerId: string;
        } | {
            /**
             * Format: u-int16
             * @description Its columns.
             */
            cols: number;
            /**
             * Format: u-int16
             * @description Its rows.
             */
            rows: number;
            /** @enum {string} */
            type: "resized";
            /** @description Which terminal. */
            workerId: string;
        } | {
            /**
             * Format: u-int8
             * @description With `exited`: the program's code, or 128 and the signal's number.
             */
            exitCode?: number | null;
            /** @description Why. */
            reason: components["schemas"]["ClosedReason"];
            /** @enum {string} */
            type: "session_closed";
            /** @description Which one. */
            workerId: string;
        } | {
            /** @description They. */
            sessions: components["schemas"]["Worker"][];
            /** @enum {string} */
            type: "session_list";
        } | {
            /** @enum {string} */
            type: "pong";
        } | {
            /** @description Why, for programs: the same codes as elsewhere, or those of the host. */
            code: string;
            /** @description What the client wanted to know the answer by. */
            id?: string | null;
            /** @description Why, for people. */
            message: string;
            /** @enum {string} */
            type: "error";
            /** @description The terminal it is about. */
            workerId?: string | null;
        };
        /** @description A token, without its secret. */
        Token: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /** @description Whether it belongs to a browser that signed in, and has a key in place of a secret. */
            device: boolean;
            /**
             * Format: date-time
             * @description Until when it opens anything.
             */
            expiresAt?: string | null;
            /** @description Which one. */
            id: string;
            /**
             * Format: date-time
             * @description When it last did.
             */
            lastUsedAt?: string | null;
            /** @description What it is for. */
            name: string;
            /** @description How far it reaches. */
            scope: components["schemas"]["Scope"];
        };
        /** @description Some of an agent's conversation, in order. */
        Transcript: {
            /** @description The agent's definition. */
            agentId: string;
            /** @description Whether this is all that there is now. */
            complete: boolean;
            /** @description The agent's own id of the conversation. */
            conversationId: string;
            /** @description What is in it. */
            entries: components["schemas"]["TranscriptEntry"][];
            /** @description Whether these are the first entries. If `after` was given, what was shown before is of another conversation. */
            fromStart: boolean;
            /** @description What to ask for as `after` to have what follows, now or later. */
            next: string;
        };
        /** @description What an entry holds. */
        TranscriptContent: (components["schemas"]["TranscriptText"] & {
            /** @enum {string} */
            kind: "prompt";
        }) | (components["schemas"]["TranscriptText"] & {
            /** @enum {string} */
            kind: "answer";
        }) | (components["schemas"]["TranscriptText"] & {
            /** @enum {string} */
            kind: "thinking";
        }) | (components["schemas"]["TranscriptText"] & {
            /** @description Stands for the call. */
            callId: string;
            /** @description The tool. */
            tool: string;
        } & {
            /** @enum {string} */
            kind: "call";
        }) | (components["schemas"]["TranscriptText"] & {
            /** @description The call. */
            callId: string;
            /** @description Whether it failed or was refused. */
            failed: boolean;
        } & {
            /** @enum {string} */
            kind: "result";
        }) | (components["schemas"]["TranscriptText"] & {
            /** @enum {string} */
            kind: "error";
        }) | (components["schemas"]["TranscriptText"] & {
            /** @enum {string} */
            kind: "limit";
        }) | (components["schemas"]["TranscriptText"] & {
            /** @enum {string} */
            kind: "note";
        }) | (components["schemas"]["RequestUsage"] & {
            /** @enum {string} */
            kind: "usage";
        }) | {
            /**
             * Format: double
             * @description In US dollars.
             */
            costUsd: number;
            /** @enum {string} */
            kind: "costSoFar";
        } | {
            /**
             * Format: u-int64
             * @description How long it is.
             */
            bytes: number;
            /** @enum {string} */
            kind: "tooLong";
        };
        /** @description One thing in a conversation. All texts are masked. */
        TranscriptEntry: components["schemas"]["TranscriptContent"] & {
            /**
             * Format: date-time
             * @description When.
             */
            at?: string | null;
            /** @description Stands for it, if it may change. A later entry with the same id takes its place. */
            id?: string | null;
        };
        /** @description A text of a conversation. */
        TranscriptText: {
            /** @description Whether there is more of it. */
            cut: boolean;
            /** @description The text. It may have many lines. */
            text: string;
        };
        /** @description What an agent did between a prompt and the next time that it was idle. */
        Turn: {
            /**
             * Format: date-time
             * @description When it began to work.
             */
            began: string;
            /**
             * Format: date-time
             * @description When it was idle again.
             */
            ended: string;
            /** @description How it ended. */
            how: components["schemas"]["TurnEnd"];
            /** @description Its last words, or those of the error, if they are known, with secrets masked. */
            message?: string | null;
        };
        /**
         * @description How a turn ended.
         * @enum {string}
         */
        TurnEnd: "finished" | "interrupted" | "refused" | "failed" | "limit";
        /** @description An agent of whose usage nothing is known. */
        UnknownUsage: {
            /** @description What people call it. */
            name: string;
            /** @description Why. */
            why: string;
            /** @description The worker. */
            workerId: string;
        };
        /** @description Changes a session. */
        UpdateSession: {
            /** @description What it is called; empty for nothing in particular. */
            title?: string | null;
            /** @description Its workers, in the order that their tabs shall have. */
            workerIds?: string[] | null;
        };
        /** @description Changes a task. What is left out stays. */
        UpdateTask: {
            /** @description The agent that shall work on it; empty for none in particular. */
            agentId?: string | null;
            /** @description More about it; empty for nothing. */
            description?: string | null;
            /** @description Whether it stands above the others. */
            pinned?: boolean | null;
            /**
             * Format: int64
             * @description Where it stands among the others.
             */
            position?: number | null;
            /** @description What is to be done. */
            title?: string | null;
        };
        /** @description Changes a worker. */
        UpdateWorker: {
            /** @description What it is called in its session. */
            name: string;
        };
        /** @description A file that was kept for a program. */
        Upload: {
            /** @description Where it is. */
            path: string;
        };
        /**
         * @description By what usage is summed up.
         * @enum {string}
         */
        UsageBy: "worker" | "task" | "agent" | "day";
        /** @description What the agents used, as their transcripts say. */
        UsageReport: {
            /** @description By what it is summed up. */
            by: components["schemas"]["UsageBy"];
            /** @description The sums. */
            rows: components["schemas"]["UsageRow"][];
            /** @description All of them together. */
            total: components["schemas"]["UsageSum"];
            /** @description The agents of which nothing is known. */
            unknown: components["schemas"]["UnknownUsage"][];
        };
        /** @description What one worker, task, agent or day used. */
        UsageRow: components["schemas"]["UsageSum"] & {
            context?: components["schemas"]["UsedContext"] | null;
            /** @description The id of the worker, task or agent, or the day; null for workers without a task, and for a day that is not known. */
            key?: string | null;
            /**
             * Format: date-time
             * @description When something was last used.
             */
            lastAt?: string | null;
            /** @description The limits of the account as they were last told, if the sum is a worker's or an agent's. */
            limits: components["schemas"]["UsedLimit"][];
            /** @description What people call it. */
            name: string;
        };
        /** @description What was used, summed up. */
        UsageSum: components["schemas"]["UsedTokens"] & {
            /**
             * Format: double
             * @description What it cost in US dollars, as far as the agents say so; null if none does.
             */
            costUsd?: number | null;
            /** @description The models. */
            models: string[];
            /**
             * Format: u-int64
             * @description Requests to a model.
             */
            requests: number;
            /**
             * Format: u-int64
             * @description Prompts.
             */
            turns: number;
            /**
             * Format: u-int64
             * @description How many of the requests have no price in the transcript: they are not in `costUsd`.
             */
            unpriced: number;
        };
        /** @description How full a model's context is. */
        UsedContext: {
            /**
             * Format: u-int64
             * @description How many are left, if that is known.
             */
            left?: number | null;
            /**
             * Format: u-int64
             * @description The tokens in it.
             */
            used: number;
            /**
             * Format: u-int64
             * @description How many it can hold, if the agent says so.
             */
            window?: number | null;
        };
        /** @description A limit on the use of an account. */
        UsedLimit: {
            /** @description What the agent calls it. */
            name: string;
            /**
             * Format: date-time
             * @description When it begins anew.
             */
            resetsAt?: string | null;
            /**
             * Format: double
             * @description How much of it was used, in per cent.
             */
            usedPercent: number;
            /**
             * Format: u-int64
             * @description For how long it counts.
             */
            windowMinutes?: number | null;
        };
        /** @description Tokens, none of them counted twice. */
        UsedTokens: {
            /**
             * Format: u-int64
             * @description Read from a cache.
             */
            cacheRead: number;
            /**
             * Format: u-int64
             * @description Written into a cache.
             */
            cacheWrite: number;
            /**
             * Format: u-int64
             * @description Read by the model and not from a cache.
             */
            input: number;
            /**
             * Format: u-int64
             * @description Written by the model, with what it thought.
             */
            output: number;
            /**
             * Format: u-int64
             * @description The part of the output that it thought.
             */
            thinking: number;
        };
        /** @description A unit of work in a session. */
        Worker: components["schemas"]["WorkerKind"] & {
            /** @description What its program is doing. */
            activity: components["schemas"]["Activity"];
            /**
             * Format: date-time
             * @description Since when, if that is known.
             */
            activitySince: string | null;
            /** @description What it asks, in its own words, with secrets masked. */
            asking?: string | null;
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            createdAt: string;
            /** @description The program's working directory, with secrets masked. */
            cwd?: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            endedAt?: string | null;
            /** @description What it is called on the command line, while it is live. */
            handle?: string | null;
            /** @description Which one. */
            id: string;
            /** @description What it is called in its session. */
            name: string;
            question: components["schemas"]["Question"] | null;
            /** @description The agent that runs in it, if that is known: also one that was started in a plain terminal. */
            runsAgent: string | null;
            /** @description Its session. */
            sessionId: string;
            /**
             * Format: date-time
             * @description When its child started.
             */
            startedAt?: string | null;
            /** @description Where it is in its life. */
            state: components["schemas"]["WorkerState"];
            /** @description The program's title, with secrets masked. */
            title?: string | null;
            turn: components["schemas"]["Turn"] | null;
            /**
             * Format: u-int32
             * @description How many screens show it.
             */
            viewers: number;
        };
        /** @description What a worker is. */
        WorkerKind: {
            /** @enum {string} */
            type: "terminal";
        } | {
            /** @description Its definition. */
            agentId: string;
            /** @enum {string} */
            type: "agent";
        };
        /** @description A worker that was made or changed. */
        WorkerReply: {
            /** @description What a person should know about that: for example, that an agent could not continue its conversation. */
            notice?: string | null;
            /** @description It. */
            worker: components["schemas"]["Worker"];
        };
        /** @description What the server says on `/ws/session/{sid}/worker/{wid}`. */
        WorkerServerMessage: {
            /** @description What draws it, or its first part; the rest follows as output. */
            data: string;
            /** @enum {string} */
            type: "history";
        } | {
            /** @description Whole characters and whole sequences. */
            data: string;
            /** @enum {string} */
            type: "output";
        } | {
            /**
             * Format: u-int8
             * @description Its code, or 128 and the signal's number.
             */
            exitCode: number;
            /** @description The signal that ended it, as in `SIGTERM`. */
            signal?: string | null;
            /** @enum {string} */
            type: "exit";
        } | {
            /** @description What it is doing. */
            state: components["schemas"]["Activity"];
            /** @enum {string} */
            type: "activity";
        } | {
            /** @description Why, for programs: the same codes as elsewhere, or those of the host. */
            code: string;
            /** @description Why, for people. */
            message: string;
            /** @enum {string} */
            type: "error";
        };
        /** @description Where a worker is in its life. */
        WorkerState: {
            /** @enum {string} */
            kind: "pending";
        } | {
            /** @enum {string} */
            kind: "provisioning";
        } | {
            /** @enum {string} */
            kind: "live";
        } | {
            /** @enum {string} */
            kind: "notAnswering";
        } | {
            /** @enum {string} */
            kind: "paused";
        } | {
            /**
             * Format: u-int8
             * @description The code, or 128 and the signal's number.
             */
            exitCode: number;
            /** @enum {string} */
            kind: "exited";
            /**
             * Format: u-int8
             * @description The signal that ended it.
             */
            signal?: number | null;
        } | {
            /** @enum {string} */
            kind: "failed";
            /** @description Why. */
            reason: string;
        } | {
            /** @enum {string} */
            kind: "lost";
            /** @description What is known about it. */
            reason: string;
        };
        /** @description A worktree: one directory, one branch. */
        Worktree: {
            /** @description Its branch. */
            branch: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Until when it can be taken back from the trash.
             */
            expiresAt?: string | null;
            /** @description Which one. */
            id: string;
            /** @description Why it was kept, or what else is to be said about it. */
            note?: string | null;
            /** @description Where it is, or was before it went to the trash. */
            path: string;
            /** @description Its repository. */
            repositoryId: string;
            /** @description The sessions that work in it. */
            sessionIds: string[];
            /** @description The same, safe to show. */
            shownPath: string;
            /** @description Where it is in its life. */
            state: components["schemas"]["WorktreeState"];
        };
        /**
         * @description Where a worktree is in its life.
         * @enum {string}
         */
        WorktreeState: "making" | "ready" | "missing" | "kept" | "trashed";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
