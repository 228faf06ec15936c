// What the sessions in the pictures are about. Times are counted back from the moment of the picture.
import { APPROVAL_CHOICES } from "../src/session/answer.ts";
import { calls, reasoning, Script, text, type Call } from "../test/scripted-work.ts";

const MINUTE = 60_000;

export type SessionName = "report" | "flaky" | "keys" | "notes" | "region" | "invoices" | "parser" | "image";

export type PicturedSession = {
  name: SessionName;
  title: string;
  /** How long before the picture its first input came. */
  beganMs: number;
  script: Script;
  /** How many of its events the person has read. */
  seen: number;
};

export function picturedSessions(): PicturedSession[] {
  return [
    {
      name: "report",
      title: "Move the nightly report off cron",
      beganMs: 20.9 * MINUTE,
      script: nightlyReport(),
      seen: Infinity,
    },
    { name: "flaky", title: "Flaky checkout test", beganMs: 9 * MINUTE, script: flakyTest(), seen: Infinity },
    {
      name: "keys",
      title: "Rotate the storage keys",
      beganMs: 26 * MINUTE,
      script: storageKeys(),
      seen: Infinity,
    },
    { name: "notes", title: "Release notes for 2.4", beganMs: 74 * MINUTE, script: releaseNotes(), seen: 9 },
    {
      name: "region",
      title: "Where should the read replica live?",
      beganMs: 95 * MINUTE,
      script: region(),
      seen: Infinity,
    },
    {
      name: "invoices",
      title: "Import the March invoices",
      beganMs: 190 * MINUTE,
      script: invoices(),
      seen: Infinity,
    },
    {
      name: "parser",
      title: "What changed in the parser since May?",
      beganMs: 320 * MINUTE,
      script: parser(),
      seen: Infinity,
    },
    {
      name: "image",
      title: "Shrink the container image",
      beganMs: 50 * 60 * MINUTE,
      script: image(),
      seen: Infinity,
    },
  ];
}

function nightlyReport(): Script {
  const find: Call = { call: "c1", name: "search", args: { pattern: "nightly-report", path: "ops/" } };
  const read: Call = { call: "c2", name: "read", args: { path: "ops/crontab" } };
  const write: Call = {
    call: "c3",
    name: "write",
    args: { path: "ops/systemd/report.timer", text: "[Timer]\nOnCalendar=*-*-* 02:30\nPersistent=true\n" },
  };
  const edit: Call = {
    call: "c4",
    name: "edit",
    args: {
      path: "ops/crontab",
      old: "30 2 * * * app /srv/app/bin/nightly-report >> /var/log/report.log 2>&1\n",
      new: "",
    },
  };
  const verify: Call = {
    call: "c5",
    name: "shell",
    args: { command: "systemd-analyze verify ops/systemd/report.timer" },
  };
  const backfill: Call = {
    call: "c6",
    name: "shell",
    args: { command: "node scripts/backfill-reports.ts --days 3" },
  };
  return new Script("report")
    .admit(
      "The nightly report was skipped twice this month because the machine was rebooting at 02:30. Move it from cron to something that catches up.",
    )
    .take("inp_report1", at(1))
    .begin()
    .pause(4_000)
    .complete([
      reasoning(
        "Cron has no memory of what it missed. A systemd timer with Persistent=true runs it after boot.",
      ),
      text(
        "A systemd timer with `Persistent=true` runs a missed job after the next boot. First I look at what cron does today.",
      ),
      calls(find),
      calls(read),
    ])
    .start(find)
    .pause(300)
    .finish(
      find,
      "ops/crontab:14: 30 2 * * * app /srv/app/bin/nightly-report\nops/README.md:41: nightly-report …",
    )
    .start(read)
    .pause(100)
    .finish(read, "30 2 * * * app /srv/app/bin/nightly-report >> /var/log/report.log 2>&1")
    .begin()
    .pause(6_000)
    .complete(
      [
        text("One line to replace, and its log moves to the journal."),
        calls(write),
        calls(edit),
        calls(verify),
      ],
      [4210, 310],
    )
    .start(write)
    .pause(100)
    .finish(write, "Wrote 3 lines to ops/systemd/report.timer.")
    .start(edit)
    .pause(100)
    .finish(edit, "Edited ops/crontab.")
    .start(verify)
    .pause(1_900)
    .finish(verify, "", { exit: 0 })
    .begin()
    .pause(3_000)
    .complete(
      [
        text(
          [
            "The timer is in place and verified, and cron's line is gone:",
            "```ini\n[Timer]\nOnCalendar=*-*-* 02:30\nPersistent=true\n```",
            "- A run that is missed from now on happens **within a minute of the next boot**.",
            "- The log is in the journal: `journalctl -u report`.",
            "",
            "The two reports that were skipped are still missing. Shall I make them up?",
          ].join("\n"),
        ),
      ],
      [4890, 120],
    )
    .end()
    .pause(16 * MINUTE)
    .admit("Yes, and check that the totals add up.", "inp_report_b")
    .take("inp_report_b", at(23))
    .begin()
    .draft("text", 0, "I make up the missing days from the archived ", "orders and compare")
    .pause(20_000)
    .add({ type: "executor_lost", data: { epoch: 1 } })
    .abort("the server was restarted")
    .add({ type: "executor_recovered", data: { epoch: 2, takeover: 1 } })
    .begin(2)
    .pause(5_000)
    .complete(
      [
        text("I make up the missing days from the archived orders, then compare each total with the ledger."),
        calls(backfill),
      ],
      [5230, 160],
    )
    .start(backfill)
    .add({
      type: "process_started",
      data: { process: "prc_preview", command: "npx vite reports", cwd: "~/code/ops", background: true },
    })
    .output(
      "c6",
      "2026-11-03  18,204 orders  ok\n",
      "2026-11-09  17,966 orders  ok\n",
      "2026-11-10  18,011 orders  ok\n",
    )
    .pause(96_000)
    .finish(
      backfill,
      "2026-11-03  18,204 orders  ok\n2026-11-09  17,966 orders  ok\n2026-11-10  18,011 orders  ok\n3 reports written, 0 skipped\n",
      { exit: 0 },
    )
    .begin()
    .add({
      type: "process_started",
      data: {
        process: "prc_ledger",
        command: "node scripts/compare-ledger.ts --since 2026-11-03",
        cwd: "~/code/ops",
        background: true,
      },
    })
    .draft("reasoning", 0, "Compare each total with the ledger before saying it is done.")
    .draft(
      "text",
      1,
      "All three reports are written:\n\n| day | orders | total | ledger |\n|---|---:|---:|---|\n| 3 Nov | 18,204 | 912,440.10 | agrees |\n| 9 Nov | 17,966 | 899,108.35 | agrees |\n| 10 Nov | 18,011 | 903,772.80 | one refund more |\n\n",
      "For the 10th the ledger has one refund more; I am looking at when it was booked",
    )
    .pause(40_000);
}

function flakyTest(): Script {
  const run: Call = { call: "f1", name: "shell", args: { command: "npm test -- checkout --repeat 60" } };
  return new Script("flaky")
    .admit("The checkout test fails about once in twenty runs. Find out why.")
    .take("inp_flaky1", at(1))
    .begin()
    .pause(4_000)
    .complete([text("I run it sixty times and keep the logs of those that fail."), calls(run)])
    .start(run)
    .output("f1", "run 13 of 60  ok    2.1 s\n", "run 14 of 60  FAIL  2.4 s\n", "run 15 of 60  ok    2.0 s\n")
    .pause(2 * MINUTE)
    .add({
      type: "input_admitted",
      data: {
        input: "inp_flaky_s",
        kind: "steer",
        text: "Look at the clock first: it began with the DST change.",
      },
    })
    .admit("Then fix it, with a test that fails without the fix.")
    .admit(
      "Write down what it was in docs/flaky.md, and open an issue for the two tests that share the fixture.",
    );
}

function storageKeys(): Script {
  const rotate: Call = { call: "k1", name: "shell", args: { command: "bin/keys rotate --bucket invoices" } };
  return new Script("keys")
    .admit("Rotate the storage keys, they are a year old.")
    .take("inp_keys1", at(1))
    .begin()
    .pause(5_000)
    .complete([
      text("Old and new keys work side by side for an hour. I begin with the invoices."),
      calls(rotate),
    ])
    .add({
      type: "ask_opened",
      data: {
        ask: "ask_keys",
        kind: "approval",
        title: "bin/keys rotate --bucket invoices",
        call: "k1",
        command: "bin/keys rotate --bucket invoices",
        cwd: "~/code/ops",
        choices: [...APPROVAL_CHOICES],
      },
    });
}

function releaseNotes(): Script {
  const log: Call = { call: "n1", name: "shell", args: { command: "git log --oneline v2.3..main" } };
  const write: Call = {
    call: "n2",
    name: "write",
    args: { path: "docs/releases/2.4.md", text: "# 2.4\n\n- Reports catch up after a reboot\n" },
  };
  return new Script("notes")
    .admit("Write the release notes for 2.4 from the merged changes.")
    .take("inp_notes1", at(1))
    .begin()
    .pause(7_000)
    .complete([text("I read what was merged since 2.3."), calls(log)], [2400, 180])
    .start(log)
    .pause(400)
    .finish(log, "a41f0c2 Catch up after a reboot\n9be1d07 Name the line in parser errors\n", { exit: 0 })
    .begin()
    .pause(9_000)
    .complete(
      [text("Eleven changes are worth a line, two need a warning. I write the draft."), calls(write)],
      [3100, 420],
    )
    .start(write)
    .pause(100)
    .finish(write, "Wrote 14 lines to docs/releases/2.4.md.")
    .begin()
    .pause(6_000)
    .complete(
      [
        text(
          "The draft is in `docs/releases/2.4.md`. I left out the three changes that were reverted before the tag.\n\nTwo things to decide:\n\n1. Is the new default of `retryMinutes` a breaking change? I put it under *Warnings*.\n2. The parser's error messages changed their wording. Someone may match on them.",
        ),
      ],
      [3600, 210],
    )
    .end();
}

function region(): Script {
  const ask: Call = { call: "g1", name: "ask", args: { question: "Which region should the replica be in?" } };
  return new Script("region")
    .admit("Add a read replica for the reports.")
    .take("inp_region1", at(1))
    .begin()
    .pause(5_000)
    .complete([text("Latency decides, and so do the customers' contracts."), calls(ask)])
    .add({
      type: "ask_opened",
      data: {
        ask: "ask_region",
        kind: "clarify",
        title: "Which region should the replica be in?",
        call: "g1",
        choices: [
          { id: "1", label: "Frankfurt" },
          { id: "2", label: "Stockholm" },
        ],
      },
    });
}

function invoices(): Script {
  return new Script("invoices")
    .admit("Import the March invoices from the partner's bucket.")
    .take("inp_invoices1", at(1))
    .begin()
    .pause(2_000)
    .complete([text("I list the bucket first.")])
    .end("failed", { code: "denied", message: "The partner's bucket refuses the key: access denied." });
}

function parser(): Script {
  return simple("parser", "What changed in the parser since May?", [
    "Three things: comments keep their place, errors name the line, and a trailing comma is allowed.",
  ]);
}

function image(): Script {
  return simple("image", "The container image is 1.9 GB. Make it smaller.", [
    "312 MB now: a second build stage, and the test data stays out.",
  ]);
}

function simple(name: string, prompt: string, answers: string[]): Script {
  const script = new Script(name).admit(prompt).take(`inp_${name}1`, at(1));
  for (const answer of answers)
    script
      .begin()
      .pause(7_000)
      .complete([text(answer)], [2400, 180]);
  return script.end();
}

/** The log begins with session_created, so a script's n-th fact stands at n + 1. */
function at(n: number): string {
  return `${String(n + 1).padStart(16, "0")}_${"0".repeat(16)}`;
}
