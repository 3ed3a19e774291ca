// What a person presses on the page for documents, whoever drives the browser.

/** The document that is chosen, where there is a choice. */
export interface Choice {
  country?: string;
  type?: string;
}

/** What is pressed at a step that waits for a person; nothing is pressed at the others. */
export function pressed({ country, type }: Choice): Record<string, string> {
  const first = `document.querySelector("#body .primary").click()`;
  // The first of two is to use the picture, whatever was found wrong with it.
  const use = `document.querySelector("#body .row button").click()`;
  const choose = `{
    const select = document.querySelector("select");
    select.value = ${JSON.stringify(country)};
    select.dispatchEvent(new Event("change"));
    document.querySelector('input[value=${JSON.stringify(type)}]').click();
    document.querySelector("form").requestSubmit();
  }`;
  return { welcome: first, choose, tips: first, review: use, retry: first, interrupted: first, trouble: first };
}
