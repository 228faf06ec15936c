// The store as executor and keeper write to it: whatever they append, put aside or name, no secret that Holdfast knows goes
// in. What people send comes another way, and stays in their own words.
import { isDraft } from "../session/draft.ts";
import type { NewEvent } from "../session/event.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { Store } from "../store/store.ts";

export function withoutSecrets(store: Store, secrets: Secrets): Store {
  if (secrets.none) return store;
  return {
    ...store,
    async append(log, events, writer, options) {
      const clean = cleanEvents(events, secrets);
      const appended = await store.append(log, clean, writer, options);
      if (clean === events || !appended.ok) return appended;
      const { at: _, ...changed } = appended; // its writer must read back what it did not write so
      return changed;
    },
    createSession: (session, author, command) =>
      store.createSession(secrets.hideIn(session), author, command),
    /** Texts only: files of people are put by the server. */
    putBlob(log, bytes) {
      const text = Buffer.from(bytes).toString("utf8");
      const hidden = secrets.hide(text);
      return store.putBlob(log, hidden === text ? bytes : Buffer.from(hidden));
    },
    addRule: (rule) => store.addRule(secrets.hideIn(rule)),
    finishRequest: (id, outcome) => store.finishRequest(id, secrets.hide(outcome)),
  };
}

/** Drafts come clean: a secret may be cut in two by them, so that their writer alone can know it. */
function cleanEvents(events: readonly NewEvent[], secrets: Secrets): readonly NewEvent[] {
  if (events.every(isDraft)) return events;
  const clean = events.map((event) => (isDraft(event) ? event : secrets.hideIn(event)));
  return clean.some((event, n) => event !== events[n]) ? clean : events;
}
