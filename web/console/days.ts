// Days of the reader's clock, as filters ask for them.

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A day that stands in an address; nothing where it is none. */
export function dayIn(query: URLSearchParams, name: string): string {
  const asked = query.get(name) ?? "";
  return DAY.test(asked) && !Number.isNaN(Date.parse(asked)) ? asked : "";
}

/** The moment at which a day begins. */
export function beginOf(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString();
}

/** The moment at which a day is over. Not all days have 24 hours. */
export function endOf(day: string): string {
  const next = new Date(`${day}T00:00:00`);
  next.setDate(next.getDate() + 1);
  return next.toISOString();
}
