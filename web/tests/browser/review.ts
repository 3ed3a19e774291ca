// Comes into the console by a link from a mail and says something to the newest notification, with the keyboard alone; then
// looks at what is meant for the reader and at one notification by its link. Prints what it saw, as JSON:
// npm run --silent review -- 'http://…/console/#sign-in=…' NOTIFICATION 'the comment'

import { writeFileSync } from "node:fs";
import { findings } from "./accessible";
import { Chromium, type Page } from "./chromium";

const [, , address = "", notification = "", comment = ""] = process.argv;
const HEADING = `document.querySelector("h1").textContent`;
const ARTICLES = `[...document.querySelectorAll("article")].map((article) => article.innerText)`;

/** Presses Tab until what has the focus is called this. */
async function reach(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 100; presses += 1) {
    await page.press("Tab");
    const focused: string = await page.evaluate(
      `(({ tagName, textContent }) => tagName === "TEXTAREA" ? tagName : textContent.trim())(document.activeElement)`,
    );
    if (focused === name) {
      return;
    }
  }
  throw new Error(`${name} is out of the keyboard's reach`);
}

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) {
    writeFileSync(`${process.env.SHOTS}/${name}.png`, await page.screenshot());
  }
}

const chromium = await Chromium.start();
try {
  const page = await chromium.newPage();
  await page.send("Emulation.setLocaleOverride", { locale: "en-GB" });
  await page.prepare(`Object.defineProperty(navigator, "languages", { get: () => ["en-GB"] })`);
  await page.resize(1024, 768);
  await page.go(address);
  await page.until(`${HEADING} === "Welcome back"`);
  await reach(page, "Sign in");
  await page.press("Enter");
  await page.until(`${HEADING} === "Inbox" && document.querySelector("article")`);
  const inbox: string[] = await page.evaluate(ARTICLES);
  const wrong = await findings(page);
  await shoot(page, "real-inbox");

  await reach(page, "TEXTAREA");
  await page.send("Input.insertText", { text: comment });
  await reach(page, "Dismiss");
  await page.press("Enter");
  await page.until(`document.querySelector("#spoken").textContent === "Dismissed: it is wrong."`);
  await shoot(page, "real-dismissed");

  await reach(page, "For you");
  await page.press("Enter");
  await page.until(`${HEADING} === "For you" && document.querySelector("article")`);
  const mine: string[] = await page.evaluate(ARTICLES);

  await page.evaluate(`location.hash = "#notification=${notification}"`);
  await page.until(`${HEADING} === "Notification" && document.querySelectorAll("article").length === 1`);
  await page.until(`document.activeElement.id === "heading"`);
  await reach(page, "Reviews");
  await page.press("Enter");
  await page.until(`document.querySelector(".reviews").textContent !== ""`);
  const one: string[] = await page.evaluate(ARTICLES);
  wrong.push(...(await findings(page)), ...page.complaints);
  await shoot(page, "real-notification");
  process.stdout.write(`${JSON.stringify({ inbox, mine, one, wrong })}\n`);
} finally {
  await chromium.stop();
}
