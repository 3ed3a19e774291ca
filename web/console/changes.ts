// What somebody has changed of something that is there. What they left alone is not sent: others may have changed it since the form
// was opened.

/** The members that are not as they were given. */
export function changesOf<T extends object>(now: T, given: { readonly [Name in keyof T]: unknown }): Partial<T> {
  const names = Object.keys(now) as (keyof T)[];
  const changed = names.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(given[name]));
  return Object.fromEntries(changed.map((name) => [name, now[name]])) as Partial<T>;
}
